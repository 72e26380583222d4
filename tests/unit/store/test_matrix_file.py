"""Weight matrices are read from the files people keep them in; what is wrong with one is told in one sentence."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from placement_cli.errors import UnreadableInput, UsageError
from placement_cli.store.matrix_file import READERS, load_matrix

Matrix = Any
SHAPES = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6)
DTYPES = st.sampled_from(["?", "i1", "<i8", ">i4", "u2", "f2", "<f4", ">f8", "c8", "c16"])
FLOATS = hnp.arrays(np.float64, SHAPES, elements=st.floats(width=64))
PARTLY_ZERO = hnp.arrays(np.float64, SHAPES, elements=st.sampled_from([0.0, 0.0, 1.5, -2.0, 1e-300]))
LAYOUTS = ("csr", "csc", "coo", "bsr", "dia")


def _npy(matrix: Matrix) -> bytes:
    file = io.BytesIO()
    np.save(file, matrix)
    return file.getvalue()


def _npz(**arrays: Matrix) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _sparse_npz(matrix: Matrix) -> bytes:
    file = io.BytesIO()
    sp.save_npz(file, matrix)
    return file.getvalue()


def _csv(matrix: Matrix, separator: str = ",") -> bytes:
    file = io.BytesIO()
    np.savetxt(file, matrix, delimiter=separator, fmt="%.17g")
    return file.getvalue()


def _mtx(matrix: Matrix, symmetry: str = "general") -> bytes:
    file = io.BytesIO()
    scipy.io.mmwrite(file, matrix, symmetry=symmetry, precision=17)
    return file.getvalue()


SMALL = np.array([[1.5, 0.0, -2.0], [0.0, 4.25, 0.0]])
VALID = {
    "a.npy": _npy(SMALL),
    "a.npz": _npz(w=SMALL),
    "s.npz": _sparse_npz(sp.csr_array(SMALL)),
    "a.csv": _csv(SMALL),
    "a.mtx": _mtx(SMALL),
    "s.mtx": _mtx(sp.coo_array(SMALL)),
}


@settings(deadline=None, max_examples=60)
@given(data=st.data(), dtype=DTYPES, compressed=st.booleans())
def test_arrays_of_numpy_keep_values_and_type(
    load: Callable[..., Matrix], data: st.DataObject, dtype: str, compressed: bool
) -> None:
    """Every kind of number comes back as it was, in the byte order of this machine and in either memory order."""
    matrix = data.draw(hnp.arrays(np.dtype(dtype), SHAPES))
    matrix = np.asfortranarray(matrix) if data.draw(st.booleans()) else matrix
    read = load("a.npz", _npz(w=matrix)) if compressed else load("a.npy", _npy(matrix))
    assert read.dtype == matrix.dtype.newbyteorder("=")
    np.testing.assert_array_equal(read, matrix)


@settings(deadline=None, max_examples=60)
@given(matrix=FLOATS, separator=st.sampled_from([",", ";", "\t"]), heading=st.booleans())
def test_tables_keep_every_bit(load: Callable[..., Matrix], matrix: Matrix, separator: str, heading: bool) -> None:
    """Written with 17 digits a table comes back exactly, NaN and infinity too, with or without a heading."""
    words = separator.join(f"x_{column}" for column in range(matrix.shape[1])) + "\n" if heading else ""
    read = load("a.CSV", words.encode() + _csv(matrix, separator))
    np.testing.assert_array_equal(read, matrix)


@settings(deadline=None, max_examples=60)
@given(matrix=PARTLY_ZERO, layout=st.sampled_from(LAYOUTS))
def test_sparse_files_of_scipy_come_back_as_csr(load: Callable[..., Matrix], matrix: Matrix, layout: str) -> None:
    """Whatever way a sparse matrix was saved in."""
    read = load("a.npz", _sparse_npz(sp.csr_array(matrix).asformat(layout)))
    assert read.format == "csr"
    np.testing.assert_array_equal(read.toarray(), matrix)


@settings(deadline=None, max_examples=60)
@given(matrix=PARTLY_ZERO, sparse=st.booleans())
def test_matrix_market_files_come_back(load: Callable[..., Matrix], matrix: Matrix, sparse: bool) -> None:
    """Entries by coordinates give CSR, values a dense matrix."""
    read = load("a.mtx", _mtx(sp.coo_array(matrix) if sparse else matrix))
    assert sp.issparse(read) is sparse
    np.testing.assert_array_equal(read.toarray() if sparse else read, matrix)


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric", "hermitian"])
@pytest.mark.parametrize("kind", ["f8", "i8", "c16"])
def test_matrix_market_is_read_as_scipy_reads_it(
    load: Callable[..., Matrix], kind: str, symmetry: str, sparse: bool
) -> None:
    """Every field and symmetry gives the values and the type that scipy.io.mmread gives."""
    half = np.triu(np.random.default_rng(0).integers(0, 3, (5, 5))).astype(kind)
    if kind == "c16":
        half = half + 1j * np.triu(half, 1)
    mirrored = {"symmetric": half.T, "skew-symmetric": -half.T, "hermitian": half.conj().T}.get(symmetry, half)
    content = _mtx((sp.coo_array if sparse else np.asarray)(np.triu(half, 1) + np.tril(mirrored, -1)), symmetry)
    expected = scipy.io.mmread(io.BytesIO(content), spmatrix=False)
    read = load("a.mtx", content)
    assert read.dtype == expected.dtype
    np.testing.assert_array_equal(read.toarray() if sparse else read, expected.toarray() if sparse else expected)


def test_patterns_are_ones(load: Callable[..., Matrix]) -> None:
    """A file that says only where the nonzeros are, with comments, blank lines and no last line end."""
    text = "%%MatrixMarket matrix coordinate pattern symmetric\n% größer\n\n3 3 2\n2 1\n\n3 3"
    read = load("a.mtx", text.encode("latin-1"))
    assert read.toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]


def test_half_precision_survives_scipy(load: Callable[..., Matrix]) -> None:
    """SciPy saves float16 and cannot compute with it; it is read as float32."""
    matrix = sp.csr_array(SMALL)
    matrix.data = matrix.data.astype(np.float16)
    read = load("a.npz", _sparse_npz(matrix))
    assert (read.dtype, read.toarray().tolist()) == (np.float32, SMALL.tolist())


def test_one_of_several_arrays_is_read_by_name(load: Callable[..., Matrix]) -> None:
    """The only array needs no name."""
    content = _npz(w1=SMALL, w2=2 * SMALL)
    assert load("a.npz", content, "w2").tolist() == (2 * SMALL).tolist()
    assert load("a.npz", _npz(w=SMALL)).tolist() == load("a.npz", _npz(w=SMALL), "w").tolist()


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (_npz(w1=SMALL, w2=SMALL), None, r"holds 2 arrays \(w1, w2\); name the one"),
        (_npz(weights=SMALL, bias=SMALL), "weight", r"holds no array 'weight'\. Did you mean 'weights'\?"),
        (_npz(a=SMALL), "", r"holds no array ''\. Known: a"),
        (_sparse_npz(sp.csr_array(SMALL)), "data", "holds one sparse matrix and no array by name; leave out 'data'"),
    ],
)
def test_names_that_do_not_fit_are_told(
    load: Callable[..., Matrix], content: bytes, name: str | None, message: str
) -> None:
    """An array must be named where there are several, and the nearest name is offered."""
    with pytest.raises(UsageError, match=message):
        load("a.npz", content, name)


def test_a_name_for_a_file_without_names_is_told(load: Callable[..., Matrix]) -> None:
    """Only an .npz file has names."""
    with pytest.raises(UsageError, match=r"only \.npz files hold arrays by name; leave out 'w'"):
        load("a.npy", VALID["a.npy"], "w")


@pytest.mark.parametrize("file_name", ["w.mat", "w", "w.safetensors", "w.npyy", ".npy"])
def test_other_endings_are_told_with_the_known_ones(tmp_path: Path, file_name: str) -> None:
    """The ending is looked at first: the file need not exist."""
    with pytest.raises(UsageError, match="no matrix is read from files with the ending") as raised:
        load_matrix(tmp_path / file_name)
    assert all(ending in str(raised.value) for ending in READERS)


def test_files_that_cannot_be_opened_are_told(tmp_path: Path) -> None:
    """A missing file, a folder, a path through a file."""
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "file").write_text("")
    for path, message in (
        (tmp_path / "missing.npy", r"missing\.npy: cannot be opened \(No such file or directory\)"),
        (tmp_path / "folder.npy", r"folder\.npy: this is a folder"),
        (tmp_path / "file" / "w.npy", r"w\.npy: cannot be opened \(Not a directory\)"),
    ):
        with pytest.raises(UsageError, match=message):
            load_matrix(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (_npy(np.ones((3, 4, 5))), r"shape \(3, 4, 5\); a weight matrix has 2 axes.* Save one matrix of it"),
        (_npy(np.ones(4)), r"shape \(4,\); a weight matrix has 2 axes.* Save it with both axes"),
        (_npy(np.float64(1)), r"shape \(\)"),
        (_npy(np.ones((0, 4))), r"the matrix is empty \(0 x 4\)"),
        (_npy(np.array([["a"]])), "holds no numbers but type <U1"),
        (_npy(np.zeros((2, 2), "M8[s]")), r"holds no numbers but type datetime64\[s\]"),
        (_npy(np.zeros((2, 2), "V2")), "holds raw bytes or records"),
    ],
)
def test_what_is_no_matrix_of_numbers_is_told(load: Callable[..., Matrix], content: bytes, message: str) -> None:
    """The error says what was found, and what to save instead."""
    with pytest.raises(UnreadableInput, match=message):
        load("a.npy", content)


class _Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return Path("bomb").touch, ()


@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_objects_are_never_unpickled(load: Callable[..., Matrix], tmp_path: Path, ending: str) -> None:
    """Reading an object could run code: it is refused by its header."""
    objects = np.array([[_Bomb()]], dtype=object)
    content = io.BytesIO()
    np.save(content, objects, allow_pickle=True) if ending == "npy" else np.savez(content, w=objects)
    with pytest.raises(UnreadableInput, match="holds Python objects, which could run code"):
        load(f"a.{ending}", content.getvalue())


def _claiming(shape: str, descr: str = "<f8") -> bytes:
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(16)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("(1000000, 1000000)", "its header claims 7.28 TiB of numbers, but it holds 16 B"),
        (f"({10**30}, 5)", "its header claims more than 8388608 TiB"),
        ("(-1, 5)", "the matrix is empty"),
        ("(2, 2)", "its header claims 32 B of numbers, but it holds 16 B"),
        (f"({'(' * 4000}", "no readable .npy file"),
    ],
)
def test_an_array_larger_than_its_file_is_refused(load: Callable[..., Matrix], shape: str, message: str) -> None:
    """The size is checked before memory is asked for, in an archive too."""
    with pytest.raises(UnreadableInput, match=message):
        load("a.npy", _claiming(shape))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("w.npy", _claiming(shape))
    with pytest.raises(UnreadableInput):
        load("a.npz", archive.getvalue())


@pytest.mark.parametrize("name", ["a.npy", "a.npz", "s.npz", "a.csv", "a.mtx", "s.mtx"])
def test_a_matrix_larger_than_free_memory_is_refused(load: Callable[..., Matrix], name: str) -> None:
    """An archive of a few bytes may hold gigabytes: what is free decides."""
    with pytest.raises(UnreadableInput, match=r"reading it may take .* of memory, and 40 B are free"):
        load(name, VALID[name], free_bytes=40)


def test_a_sparse_matrix_of_very_many_channels_is_refused(load: Callable[..., Matrix]) -> None:
    """A few bytes can claim any number of rows, each of which costs memory."""
    huge = sp.coo_array(([1.0], ([0], [0])), shape=(10**12, 2))
    for name, content in (("a.npz", _sparse_npz(huge)), ("a.mtx", _mtx(huge))):
        with pytest.raises(UnreadableInput, match=r"reading it may take 58\.2 TiB of memory"):
            load(name, content)


MATRIX_MARKET = "%%MatrixMarket matrix "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("array real general\n1000000 1000000\n1\n", "claims 1.82 TiB of numbers"),
        ("coordinate real general\n9 9 1000000000000\n1 1 1\n", "claims 5.46 TiB of numbers"),
        ("array real general\n0 5\n", r"the matrix is empty \(0 x 5\)"),
        ("array real skew-symmetric\n2 2\n1\n2\n3\n4\n", "claims 1 line of 1 number, and more than 1 of 1 are there"),
        ("array real general\n2 1\n1e\n2\n", r"a\.mtx:3:1: cell 1 of line 3 is '1e', which is no number"),
        ("coordinate real general\n2 2 2\n1 1 5\n1 2\n", r"a\.mtx:4:3: line 4 has 2 cells, the lines before have 3"),
        ("coordinate real general\n2 2 1\n1 1 5\x00", r"a\.mtx:3:3: cell 3 of line 3"),
        ("coordinate real general\n2 2 2\n1 1 5\n", "claims 2 lines of 3 numbers, and 1 of 3 are there"),
        ("coordinate real general\n2 2 1\n", "none are there"),
        ("coordinate real general\n2 2 1\n1 3 5\n", "an entry lies outside the matrix"),
        ("coordinate real general\n2 2 1\n1.5 1 5\n", "an entry lies outside the matrix"),
        ("coordinate integer general\n2 2 1\n1 1 1.5\n", "could not convert string '1.5' to int64"),
        ("coordinate real symmetric\n2 3 1\n1 1 5\n", "claims to be symmetric with 2 rows and 3 columns"),
        ("array unsigned-integer skew-symmetric\n2 2\n1\n", "numbers without a sign cannot be skew-symmetric"),
        ("array pattern general\n1 1\n", "a pattern without coordinates has no values"),
        ("coordinate real general\n", "no readable Matrix Market file"),
        ("", "no readable Matrix Market file"),
    ],
)
def test_damaged_matrix_market_files_are_told(load: Callable[..., Matrix], text: str, message: str) -> None:
    """Claims that the text does not keep, torn numbers, and entries beside the matrix."""
    with pytest.raises(UnreadableInput, match=message):
        load("a.mtx", (MATRIX_MARKET + text).encode())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2\n3,x\n", r"a\.csv:2:2: cell 2 of line 2 is 'x', which is no number"),
        ("a,b\n\n1,2\n3,1_0\n", r"a\.csv:4:2: cell 2 of line 4 is '1_0'"),
        ("1,2\n3,\n", r"a\.csv:2:2: cell 2 of line 2 is empty"),
        (",a\n1,2\n", r"a\.csv:1:1: cell 1 of line 1 is empty"),
        ("1,b\n1,2\n", r"a\.csv:1:2: cell 2 of line 1 is 'b'"),
        ("1,5;2,5\n", r"a\.csv:1:1: cell 1 of line 1 is '1,5'"),
        ("1 2\n3 4\n", r"a\.csv:1:1: cell 1 of line 1 is '1 2'"),
        ("1,2\n3,4,5\n", r"a\.csv:2:3: line 2 has 3 cells, the lines before have 2"),
        ("1;2\n3\n", r"a\.csv:1:1: cell 1 of line 1 is '1;2'"),
        ("a,b\n", r"the matrix is empty, no line below its heading holds numbers"),
        ("\n\n", "the matrix is empty, no line holds numbers"),
        ("", "the matrix is empty"),
    ],
)
def test_the_first_cell_that_is_no_number_is_told(load: Callable[..., Matrix], text: str, message: str) -> None:
    """With its line in the file and its cell in the line."""
    with pytest.raises(UnreadableInput, match=message):
        load("a.csv", text.encode())


def test_tables_of_other_programs_are_read(load: Callable[..., Matrix]) -> None:
    """A byte order mark, line ends of Windows, blank lines, blanks around numbers, one column, a comment on top."""
    assert load("a.csv", b"\xef\xbb\xbfa;b\r\n\r\n 1 ; 2\r\n3;4\r\n\r\n").tolist() == [[1, 2], [3, 4]]
    assert load("a.csv", b"1\n2\n").tolist() == [[1], [2]]
    assert load("a.csv", b"# made by a, b\n1\t2").tolist() == [[1, 2]]


@pytest.mark.parametrize("name", ["a.npy", "a.npz", "s.npz"])
def test_a_binary_file_cut_off_anywhere_is_refused(load: Callable[..., Matrix], name: str) -> None:
    """At any byte."""
    content = VALID[name]
    for size in range(len(content)):
        with pytest.raises(UnreadableInput):
            load(name, content[:size])


@pytest.mark.parametrize("name", ["a.csv", "a.mtx", "s.mtx"])
def test_a_text_cut_off_anywhere_is_no_crash(load: Callable[..., Matrix], name: str) -> None:
    """A text may end in the middle of its last number and look whole; of Matrix Market a lost line is noticed."""
    content = VALID[name]
    last = content.rstrip().rfind(b"\n") + 1
    for size in range(len(content)):
        try:
            read = load(name, content[:size])
        except UnreadableInput:
            continue
        assert read.shape == SMALL.shape or name == "a.csv"
        assert size > last or name == "a.csv"


@settings(deadline=None, max_examples=150)
@given(data=st.data(), name=st.sampled_from(sorted(VALID)))
def test_hostile_bytes_are_refused_or_read(load: Callable[..., Matrix], data: st.DataObject, name: str) -> None:
    """Whatever is written over a valid file, the answer is a matrix or one clear error."""
    content = bytearray(VALID[name])
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        stop = data.draw(st.integers(start, min(start + 8, len(content))))
        content[start:stop] = data.draw(st.binary(max_size=8) | st.text("0123456789 -.\n", max_size=8).map(str.encode))
    try:
        read = load(name, bytes(content), free_bytes=10**9)
    except (UnreadableInput, UsageError):
        return
    assert read.ndim == 2
    assert min(read.shape) > 0
