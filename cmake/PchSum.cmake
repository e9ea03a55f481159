# Writes SUM: a digest of what the precompiled header was made of. The header itself holds absolute paths, so that ccache
# would see another one in every build folder; with its option pch_external_checksum it hashes this file instead.
file(GLOB_RECURSE parts LIST_DIRECTORIES false
  ${SOURCE}/include/ane/IR/*.h ${SOURCE}/include/ane/Support/*.h ${BINARY}/include/ane/IR/*.inc)
list(SORT parts)
set(digests "${LLVM_VERSION}")
foreach(part ${parts})
  file(SHA256 ${part} digest)
  string(APPEND digests "${digest}\n")
endforeach()
string(SHA256 digest "${digests}")
file(WRITE ${SUM} "${digest}\n")
