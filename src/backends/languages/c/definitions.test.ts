import { testMarkedSamples } from '../../../../test/support/languages/marked-sample.ts';

/** Code by file name and language. */
const samples: Readonly<Record<string, string>> = {
  'a.c C': `
#define LIMIT 5 //= macro LIMIT
extern int elsewhere;
extern const char *names_elsewhere[];
static int counter; //= variable counter
const int limit = 5; //= constant limit
static const struct cmd table[] = { { 1 } }; //= constant table
int one = 1, *two, three[3]; //= variable one; variable two; variable three
int (*hook)(int) = 0; //= variable hook
int proto(int a);
typedef int (*callback)(int); //= type callback
typedef void handler(int); //= type handler
typedef struct node { //= struct node
  struct node *next; //= field next
  char **value; //= field value
  int (*renew)(int), many[2][3]; //= field renew; field many
} node_t, *node_p; //= type node_t; type node_p
enum color { RED, GREEN = 2 }; //= enum color; constant RED; constant GREEN
char ***deep(void) { int local = 3; static int kept; return 0; } //= function deep
struct PACKED foo { //= struct foo
  int y; //= field y
};
int old(a) int a; { return 1; } //= function old
static __attribute__((always_inline)) int at(void) { return 1; } //= function at
void (*signal(int sig, void (*func)(int)))(int) { return 0; } //= function signal
void locked(void) EXCLUDES(mutex) { } //= function locked
#if A
int broken(int a) { //= function broken
#else
int broken(void) { //= function broken
#endif
  return 1;
}
int after(void) { return 1; } //= function after`,
  'a.h C': `
#ifndef A_H
#define A_H //= macro A_H
#include <string>
int declared(int a);
static inline int defined(int a) { return a; } //= function defined
struct Piece { //= struct Piece
  size_t size() const { return 1; } //= method size
  const std::string& text() const;
};
#endif`,
  'a.cpp C++': `
namespace acme::core { //= module acme::core
constexpr int kLimit = 5; //= constant kLimit
class API_EXPORT Lease final : public Base { //= class Lease
  Q_OBJECT
  Q_PROPERTY(int key READ key)
  COPY_OF(Base)

 public:
  enum Column //= enum Column
  {
    Key, //= constant Key
  };
 signals:
  void renewed();
 private slots:
  explicit Lease(int a) : a_(a) {} //= method Lease
  Lease(const Lease&) = delete;
  ~Lease() override = default; //= method ~Lease
  operator bool() const { return true; } //= method operator bool
  bool operator ==(const Lease& o) const { return true; } //= method operator==
  int& value() const { return a_; } //= method value
  int read() EXCLUDES(mutex_) { return 1; } //= method read
  virtual int missing() = 0;
  Foo& declared();
  int (*renew)(int); //= field renew
  int& a_; //= field a_
};
}
Lease<A<B>>::operator bool() const { return x; } //= method operator bool
template <typename T> T& acme::Lease<A<T>>::renew() & noexcept { return x; } //= method renew
bool A::operator<=>(const A& o) const { return true; } //= method operator<=>
std::ostream& operator << (std::ostream& o, A a) { return o; } //= function operator<<
template <> struct hash<Foo> { //= struct hash
  size_t operator()(Foo f) const { return 1; } //= method operator()
};
template <> int chosen<int>(int a) { return 1; } //= function chosen
template <class T> concept Small = sizeof(T) < 4; //= type Small
struct Outer::Inner { int x; }; //= struct Inner; field x
using Ids = std::vector<int>; //= type Ids
namespace fs = std::filesystem; //= module fs
[[nodiscard]] auto later(int a) -> int { return 1; } //= function later
static LONG CALLBACK filter(PEX x) { return 1; } //= function filter
enum class Color : int { red, green = 2 }; //= enum Color; constant red; constant green
int main() try { } catch (...) { } //= function main`,
  'a.cu Cuda': `
__constant__ float table[4]; //= variable table
__global__ void kernel(float *a) { a[0] = 1; } //= function kernel
template <int N> __device__ __forceinline__ float4 &load(float4 *a) { return *a; } //= function load
void run() { kernel<<<1, 2>>>(a); } //= function run`,
};

testMarkedSamples(samples);
