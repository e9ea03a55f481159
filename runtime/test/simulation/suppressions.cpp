//===- suppressions.cpp - leaks that are not ours -------------------------===//
/// What GNUstep keeps for itself; the objects of the framework count themselves.
extern "C" const char *__lsan_default_suppressions() { return "leak:libobjc.so\nleak:libgnustep-base.so\n"; }
