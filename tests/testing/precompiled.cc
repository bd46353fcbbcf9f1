// The program for which tests/CMakeLists.txt compiles the headers of precompiled.h; it does nothing.
int main() {
  return 0;
}
