// What requests cost, what is set aside for them, and what they are charged. Maui Sect. III
// (Allocation Manager Interface); scheduling.md section 14. Without [bank] nothing costs anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meta/requests/layer.h"

namespace muster::meta {

// Whether the request is paid for: there is a bank, it has an account, and it does not run inside
// of a reservation, which pays.
bool IsPaid(const RequestsLayer& f, const schemas::RequestSpec& spec);

// What each part costs at these sites if the request starts then, in millionths of a credit; empty:
// it is not paid for. `tail`: what is booked after the duration.
std::vector<int64_t> PricesOf(const RequestsLayer& f, const schemas::RequestSpec& spec,
                              const std::vector<std::string>& part_sites, Instant start, Span tail);

// Why the account cannot pay for the request at all, even in the cheapest hours at the cheapest
// site; none: it can, or must not. A request that lost its place keeps what was set aside, so it
// always can.
std::optional<schemas::Reason> WhyNotPaid(const RequestsLayer& f, const Request& request,
                                          Moment now);
// Whether the place that is sought is one that the user asked for: the first one, or that of an
// alteration. Else it is another one for what was promised, perhaps before there was a bank.
bool IsByUser(const Request& request);
// Whether the account can pay for the request at these sites if it starts then, as for a place that
// its user asks for. What costs nothing it can pay.
bool CanPay(const RequestsLayer& f, const Request& request,
            const std::vector<std::string>& part_sites, Instant start, Span tail, Moment now);
// What a part (from 0) costs at a site in its cheapest hours.
int64_t LeastPriceAt(const RequestsLayer& f, const schemas::RequestSpec& spec, size_t part,
                     const std::string& site);
// C1: sets aside in memory what the place that is to be sought costs. If the account has too little
// it sets nothing aside, and returns why. A place that the user did not ask for never costs more
// than the one before.
std::optional<schemas::Reason> SetAside(RequestsLayer& f, const Request& request,
                                        const std::vector<std::string>& part_sites, Instant start,
                                        Span tail, Moment now);

// Whether an account that has got more since the last call can pay for something.
bool MayPayMore(RequestsLayer& f, Moment now);

// C3, C4, in the write of the promise: what is set aside is for this attempt from now on.
void TakeLien(RequestsLayer& f, Request& request, const Attempt& attempt, Moment now);
// The hold moved, or the request was altered where it is: less may be set aside, never more.
void EaseLien(RequestsLayer& f, Request& request, const Attempt& attempt);
// Whether more can be set aside for a request that runs and is to become this one; then it is,
// unless that is only tried.
std::optional<schemas::Reason> RaiseLien(RequestsLayer& f, Request& request, const Attempt& attempt,
                                         const schemas::RequestSpec& next, bool only_try,
                                         Moment now);
// A part is being resized: what it used so far was with the size that its request still has.
void AccrueLien(RequestsLayer& f, Request& request, const Attempt& attempt, uint32_t part,
                Moment now);
// Its user altered a request that has lost its place: the next place is one that was asked for.
void AskAnew(RequestsLayer& f, Request& request);

// Charges parts of the attempt whose final usage is known, each once, in the write that stores it.
// What an ended request does not need is free again.
void SettleLien(RequestsLayer& f, Request& request, const Attempt& attempt, Moment now);
// The request has ended or was parked: frees what no part that started may still be charged.
void FreeLien(RequestsLayer& f, Request& request);

}  // namespace muster::meta
