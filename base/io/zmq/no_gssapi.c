// Stand-ins for the GSSAPI functions that Debian's libzmq.a refers to; Debian has no static library
// of GSSAPI. With them a program that contains libzmq.a needs no Kerberos. muster speaks CURVE
// alone, so none is ever called; each would return a failure.
#include <stddef.h>
#include <stdint.h>

enum { kRefused = 13 << 16 };  // GSS_S_FAILURE of RFC 2744

const void* GSS_C_NT_HOSTBASED_SERVICE = NULL;
const void* GSS_C_NT_USER_NAME = NULL;

#define MUSTER_REFUSE(name) \
  uint32_t name(void);      \
  uint32_t name(void) { return kRefused; }
MUSTER_REFUSE(gss_accept_sec_context)
MUSTER_REFUSE(gss_acquire_cred)
MUSTER_REFUSE(gss_delete_sec_context)
MUSTER_REFUSE(gss_display_name)
MUSTER_REFUSE(gss_import_name)
MUSTER_REFUSE(gss_init_sec_context)
MUSTER_REFUSE(gss_release_buffer)
MUSTER_REFUSE(gss_release_cred)
MUSTER_REFUSE(gss_release_name)
MUSTER_REFUSE(gss_unwrap)
MUSTER_REFUSE(gss_wrap)
