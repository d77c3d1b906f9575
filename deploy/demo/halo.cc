// The coupled program of the demonstration: heat spreading over a plate (Jacobi iteration), cut
// into bands of rows. Alone it computes the whole plate; as one part of several it exchanges its
// edge rows with its neighbours over TCP in every step, so that it only finishes if all parts run
// at the same time. Each cell is computed from the same five numbers either way, so the checksum of
// the plate must be equal to the last bit.
//
//   halo --rows N --columns N --steps N
//
// Parts find each other through variables that muster sets (MUSTER_PART, MUSTER_PARTS,
// MUSTER_LISTEN, MUSTER_RENDEZVOUS, MUSTER_SECRET_FILE); without them the program runs alone.

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr auto kPeerWait = std::chrono::seconds(60);  // how long Connect tries to reach a neighbour
constexpr auto kRetry = std::chrono::milliseconds(100);

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "halo: %s\n", what.c_str());
  std::exit(1);
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Address {
  std::string host;
  std::string port;
};

Address ParseAddress(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) Fail("'" + text + "' is not host:port");
  return {text.substr(0, colon), text.substr(colon + 1)};
}

addrinfo* Resolve(const Address& address, bool passive) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  if (passive) hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found) != 0) {
    Fail("cannot resolve " + address.host + ":" + address.port);
  }
  return found;
}

void SendAll(int socket, const void* data, size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);
    if (sent <= 0) Fail("a neighbour is gone");
    at += sent;
    size -= static_cast<size_t>(sent);
  }
}

void ReceiveAll(int socket, void* data, size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = recv(socket, at, size, 0);
    if (got <= 0) Fail("a neighbour is gone");
    at += got;
    size -= static_cast<size_t>(got);
  }
}

// A neighbour proves itself by the secret that only parts of this job can read.
int Accept(int listener, const std::string& secret) {
  for (;;) {
    const int peer = accept(listener, nullptr, nullptr);
    if (peer < 0) Fail("accept failed");
    std::string theirs(secret.size(), '\0');
    const ssize_t got = recv(peer, theirs.data(), theirs.size(), MSG_WAITALL);
    if (got == static_cast<ssize_t>(theirs.size()) && theirs == secret) return peer;
    close(peer);
  }
}

int Connect(const std::string& where, const std::string& secret) {
  addrinfo* address = Resolve(ParseAddress(where), false);
  const auto until = std::chrono::steady_clock::now() + kPeerWait;
  for (;;) {
    const int peer = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(peer, address->ai_addr, address->ai_addrlen) == 0) {
      freeaddrinfo(address);
      SendAll(peer, secret.data(), secret.size());
      return peer;
    }
    close(peer);
    if (std::chrono::steady_clock::now() > until) Fail("no neighbour at " + where);
    std::this_thread::sleep_for(kRetry);
  }
}

int Listen(const std::string& where) {
  addrinfo* address = Resolve(ParseAddress(where), true);
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listener, address->ai_addr, address->ai_addrlen) != 0 || listen(listener, 4) != 0) {
    Fail("cannot listen on " + where);
  }
  freeaddrinfo(address);
  return listener;
}

struct Plate {
  size_t rows;
  size_t columns;
  size_t first;  // global index of row 1; rows 0 and rows+1 are the neighbours' edges
  std::vector<double> cells;
  double* Row(size_t r) { return cells.data() + r * columns; }
};

double Initial(size_t row, size_t column, size_t rows, size_t columns) {
  const double x = static_cast<double>(column) / static_cast<double>(columns);
  const double y = static_cast<double>(row) / static_cast<double>(rows);
  return 100.0 * x * (1.0 - y) + (row % 7 == 3 ? 10.0 : 0.0);
}

void Step(const Plate& from, Plate& to, size_t all_rows) {
  for (size_t r = 1; r <= from.rows; ++r) {
    const size_t global = from.first + r - 1;
    const double* up = from.cells.data() + (r - 1) * from.columns;
    const double* here = from.cells.data() + r * from.columns;
    const double* down = from.cells.data() + (r + 1) * from.columns;
    double* out = to.Row(r);
    for (size_t c = 0; c < from.columns; ++c) {
      const bool edge = global == 0 || global + 1 == all_rows || c == 0 || c + 1 == from.columns;
      out[c] = edge ? here[c] : 0.2 * (here[c] + up[c] + down[c] + here[c - 1] + here[c + 1]);
    }
  }
}

// FNV-1a over the bits of rows in order: equal only if every cell is equal to the last bit.
uint64_t Checksum(uint64_t hash, const double* cells, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits;
    std::memcpy(&bits, &cells[i], sizeof bits);
    for (int byte = 0; byte < 8; ++byte) {
      hash ^= (bits >> (8 * byte)) & 0xff;
      hash *= 1099511628211u;
    }
  }
  return hash;
}
constexpr uint64_t kChecksumStart = 14695981039346656037u;

struct Job {
  size_t part = 1;
  size_t parts = 1;
  int above = -1;  // socket to the part with the rows above; -1: none
  int below = -1;
};

Job Join() {
  Job job;
  const std::string parts = Environment("MUSTER_PARTS");
  if (parts.empty() || parts == "1") return job;
  job.parts = std::stoul(parts);
  job.part = std::stoul(Environment("MUSTER_PART"));
  std::ifstream file(Environment("MUSTER_SECRET_FILE"));
  std::string secret;
  if (!(file >> secret)) Fail("cannot read MUSTER_SECRET_FILE");
  std::vector<std::string> peers;
  std::stringstream list(Environment("MUSTER_RENDEZVOUS"));
  for (std::string peer; std::getline(list, peer, ',');) peers.push_back(peer);
  if (peers.size() != job.parts) Fail("MUSTER_RENDEZVOUS does not name every part");
  const int listener = job.part < job.parts ? Listen(Environment("MUSTER_LISTEN")) : -1;
  if (job.part > 1) job.above = Connect(peers[job.part - 2], secret);
  if (job.part < job.parts) job.below = Accept(listener, secret);
  std::printf("part %zu of %zu: neighbours connected\n", job.part, job.parts);
  std::fflush(stdout);
  return job;
}

void Exchange(const Job& job, Plate& plate) {
  const size_t bytes = plate.columns * sizeof(double);
  // Odd parts send first and even ones receive first, so two neighbours never both wait in a send.
  if (job.part % 2 == 1) {
    if (job.below >= 0) SendAll(job.below, plate.Row(plate.rows), bytes);
    if (job.below >= 0) ReceiveAll(job.below, plate.Row(plate.rows + 1), bytes);
    if (job.above >= 0) SendAll(job.above, plate.Row(1), bytes);
    if (job.above >= 0) ReceiveAll(job.above, plate.Row(0), bytes);
  } else {
    if (job.above >= 0) ReceiveAll(job.above, plate.Row(0), bytes);
    if (job.above >= 0) SendAll(job.above, plate.Row(1), bytes);
    if (job.below >= 0) ReceiveAll(job.below, plate.Row(plate.rows + 1), bytes);
    if (job.below >= 0) SendAll(job.below, plate.Row(plate.rows), bytes);
  }
}

// The checksum runs through the parts from the first to the last, which prints it.
void Finish(const Job& job, Plate& plate) {
  uint64_t hash = kChecksumStart;
  if (job.above >= 0) ReceiveAll(job.above, &hash, sizeof hash);
  hash = Checksum(hash, plate.Row(1), plate.rows * plate.columns);
  if (job.below >= 0) {
    SendAll(job.below, &hash, sizeof hash);
    char done;
    ReceiveAll(job.below, &done, 1);  // no part leaves before the result is out
  } else {
    std::printf("checksum %016llx\n", static_cast<unsigned long long>(hash));
  }
  const char done = 1;
  if (job.above >= 0) SendAll(job.above, &done, 1);
}

}  // namespace

int main(int argc, char** argv) {
  size_t rows = 300;
  size_t columns = 200;
  size_t steps = 400;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const size_t value = std::strtoul(argv[i + 1], nullptr, 10);
    if (name == "--rows")
      rows = value;
    else if (name == "--columns")
      columns = value;
    else if (name == "--steps")
      steps = value;
    else
      Fail("unknown option " + name);
  }
  const Job job = Join();
  if (rows < job.parts || columns < 2 || steps < 1) Fail("the plate is too small");

  const size_t begin = rows * (job.part - 1) / job.parts;
  const size_t end = rows * job.part / job.parts;
  Plate now{end - begin, columns, begin, std::vector<double>((end - begin + 2) * columns)};
  for (size_t r = 0; r < now.rows; ++r) {
    for (size_t c = 0; c < columns; ++c) now.Row(r + 1)[c] = Initial(begin + r, c, rows, columns);
  }
  Plate next = now;
  for (size_t step = 1; step <= steps; ++step) {
    Exchange(job, now);
    Step(now, next, rows);
    std::swap(now.cells, next.cells);
    if (step % 100 == 0) {
      std::printf("step %zu\n", step);
      std::fflush(stdout);
    }
  }
  Finish(job, now);
  return 0;
}
