"""PTX of a CUDA source on standard output, by the library that NVRTC names (libnvrtc.so.12)."""
import ctypes, os, sys

nvrtc = ctypes.CDLL(os.environ["NVRTC"])
program = ctypes.c_void_p()
name = sys.argv[1].encode()
source = open(sys.argv[1], "rb").read()
header = open("kernels.h", "rb").read()


def text(size, get):
    n = ctypes.c_size_t()
    size(program, ctypes.byref(n))
    buffer = ctypes.create_string_buffer(n.value)
    get(program, buffer)
    return buffer.value.decode()


one = ctypes.c_char_p * 1
nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, name, 1, one(header), one(b"kernels.h"))
options = (ctypes.c_char_p * 2)(b"--gpu-architecture=compute_70", b"-lineinfo")
if nvrtc.nvrtcCompileProgram(program, 2, options) != 0:
    sys.exit(text(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog))
print(text(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX))
