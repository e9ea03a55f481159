//===- suppressions.cpp - reports of sanitizers that are not about us -----===//
/// What GNUstep keeps for itself; the objects of the framework count themselves.
extern "C" const char *__lsan_default_suppressions() { return "leak:libobjc.so\nleak:libgnustep-base.so\n"; }
/// Each of both takes its locks in several orders, as where a class is used for the first time. Races are nobody's.
extern "C" const char *__tsan_default_suppressions() { return "deadlock:libobjc.so\ndeadlock:libgnustep-base.so\n"; }
