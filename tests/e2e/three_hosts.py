"""Three hosts on one machine: network namespaces on a switch of their own, whose cables can be cut.

Each host is a sleeping process in a namespace of its own. Namespaces and interfaces are gone with
these processes, and these are gone with the test, however it ends.
"""
import pathlib
import subprocess
import time

PREFIX = "10.77.0"
ENTER_WAIT_S = 5


class NotPermitted(Exception):
    """This machine or account does not let us make network namespaces."""


def run(*words):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NotPermitted(f"{' '.join(map(str, words))}: {done.stderr.strip()}")


class Host:
    """One namespace. `enter` are the words that run a command in it."""

    def __init__(self, name, number):
        self.name, self.address = name, f"{PREFIX}.{number}"
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "sleep", "infinity"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.enter = ("setpriv", "--pdeathsig", "KILL", "nsenter",
                      f"--net=/proc/{self.process.pid}/ns/net")

    def wait(self):
        """Until the process is in its namespace; it has its parent's at first."""
        def network(pid):
            return pathlib.Path(f"/proc/{pid}/ns/net").readlink()

        deadline = time.monotonic() + ENTER_WAIT_S
        while time.monotonic() < deadline and self.process.poll() is None:
            if network(self.process.pid) != network("self"):
                return
            time.sleep(0.01)
        raise NotPermitted("unshare --net does not give a namespace")

    def ip(self, *words):
        run(*self.enter, "ip", *words)

    def close(self):
        self.process.kill()
        self.process.wait()


class Network:
    """Hosts by name, each on one cable to the switch."""

    def __init__(self, *names):
        self.switch = Host("switch", 254)
        self.hosts = {name: Host(name, number) for number, name in enumerate(names, 1)}
        try:
            self._connect()
        except BaseException:
            self.close()
            raise

    def _connect(self):
        for host in (self.switch, *self.hosts.values()):
            host.wait()
        self.switch.ip("link", "add", "ports", "type", "bridge", "forward_delay", "0")
        self.switch.ip("link", "set", "ports", "up")
        for name, host in self.hosts.items():
            self.switch.ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns",
                           host.process.pid)
            self.switch.ip("link", "set", name, "master", "ports", "up")
            host.ip("link", "set", "lo", "up")
            host.ip("address", "add", f"{host.address}/24", "dev", "eth0")
            host.ip("link", "set", "eth0", "up")

    def cut(self, name):
        self.switch.ip("link", "set", name, "down")

    def mend(self, name):
        self.switch.ip("link", "set", name, "up")

    def close(self):
        for host in (*self.hosts.values(), self.switch):
            host.close()
