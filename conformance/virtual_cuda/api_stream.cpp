// Streams, events, capture state and memory pools.
#include "virtual_cuda/world.h"

namespace aoti_cts::vcuda {
namespace {

std::uintptr_t number(const void* ptr) { return reinterpret_cast<std::uintptr_t>(ptr); }

cudaError_t make_stream(cudaStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr || flags > 1) return cudaErrorInvalidValue;
  World& world = World::get();
  auto made = std::make_unique<StreamObject>();
  made->device = self().device;
  made->flags = flags;
  made->priority = priority > 0 ? 0 : (priority < -5 ? -5 : priority);
  made->id = world.next_id++;
  *stream = made.get();
  world.streams.insert(made.release());
  return cudaSuccess;
}

/// Waiting and asking both make progress; asking says what it found before.
cudaError_t query(StreamObject* stream) {
  const bool ready = pending_on(stream) == 0;
  drain(stream);
  return ready ? cudaSuccess : cudaErrorNotReady;
}

/// Runs `body` with the stream behind the handle.
template <class Body>
cudaError_t on_stream(const char* function, cudaStream_t handle, Body body) {
  return api(function, Plain, [&](aoti_cts_vcuda_call& call) {
    call.stream = number(handle);
    StreamObject* stream = resolve(handle, function);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : body(stream);
  });
}

template <class Body>
cudaError_t on_event(const char* function, cudaEvent_t event, Body body) {
  return api(function, Plain, [&](aoti_cts_vcuda_call& call) {
    call.src = number(event);
    World& world = World::get();
    if (world.events.count(event) == 0) {
      find("dead_stream", number(event), "%s of event 0x%zx, which does not exist", function,
           static_cast<std::size_t>(number(event)));
      return cudaErrorInvalidResourceHandle;
    }
    return body(call, *event);
  });
}

cudaError_t make_event(cudaEvent_t* event, unsigned flags) {
  if (event == nullptr || flags > 7) return cudaErrorInvalidValue;
  auto made = std::make_unique<EventObject>();
  made->device = self().device;
  made->flags = flags;
  *event = made.get();
  World::get().events.insert(made.release());
  return cudaSuccess;
}

cudaError_t record(aoti_cts_vcuda_call& call, EventObject& event, cudaStream_t on) {
  call.stream = number(on);
  StreamObject* stream = resolve(on, call.function);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (stream->device != event.device) {
    find("stream_device", call.src, "%s: event of cuda:%d on a stream of cuda:%d", call.function,
         event.device, stream->device);
    return cudaErrorInvalidResourceHandle;
  }
  event.op = enqueue(stream, call.function, {}, [] {});
  event.recorded = call.number;
  return cudaSuccess;
}

cudaError_t elapsed(const char* function, float* ms, cudaEvent_t start, cudaEvent_t end) {
  return on_event(function, start, [&](aoti_cts_vcuda_call&, const EventObject& first) {
    World& world = World::get();
    if (ms == nullptr) return cudaErrorInvalidValue;
    if (world.events.count(end) == 0 || !first.op || !end->op || (first.flags & 2U) != 0 ||
        (end->flags & 2U) != 0) {
      return cudaErrorInvalidResourceHandle;
    }
    if (!first.op->done || !end->op->done) return cudaErrorNotReady;
    // No clock: a call counts as a microsecond.
    *ms = static_cast<float>(end->recorded - first.recorded) / 1000.0F;
    return cudaSuccess;
  });
}

cudaError_t not_capturing(const char* function, cudaStream_t handle, int* status) {
  return on_stream(function, handle, [&](StreamObject*) {
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = 0;
    return cudaSuccess;
  });
}

cudaError_t pool_of(const char* function, cudaMemPool_t* pool, int device) {
  return api(function, Plain, [&](aoti_cts_vcuda_call&) {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (device < 0 || device >= World::get().devices) return cudaErrorInvalidDevice;
    // One pool for each device; nothing is behind the handle but the device's number.
    *pool = reinterpret_cast<cudaMemPool_t>(  // NOLINT(performance-no-int-to-ptr)
        static_cast<std::uintptr_t>(device) * 16 + 0x1000);
    return cudaSuccess;
  });
}

cudaError_t accept_pool(const char* function, cudaMemPool_t pool) {
  return api(function, Plain, [&](aoti_cts_vcuda_call&) {
    return pool != nullptr ? cudaSuccess : cudaErrorInvalidValue;
  });
}

}  // namespace
}  // namespace aoti_cts::vcuda

using namespace aoti_cts::vcuda;

extern "C" {
namespace aoti_cts::vcuda {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return api("cudaStreamCreate", Plain,
             [&](aoti_cts_vcuda_call&) { return make_stream(stream, 0, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return api("cudaStreamCreateWithFlags", Plain,
             [&](aoti_cts_vcuda_call&) { return make_stream(stream, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return api("cudaStreamCreateWithPriority", Plain,
             [&](aoti_cts_vcuda_call&) { return make_stream(stream, flags, priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return on_stream("cudaStreamDestroy", stream, [](StreamObject* found) {
    if (found->legacy) return cudaErrorInvalidResourceHandle;
    // Work that is queued still runs; the handle is dead at once.
    found->destroyed = true;
    if (found->queue.empty()) drain(found);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return on_stream("cudaStreamSynchronize", stream, [](StreamObject* found) {
    drain(found);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return on_stream("cudaStreamQuery", stream, query);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return on_event("cudaStreamWaitEvent", event,
                  [&](aoti_cts_vcuda_call& call, const EventObject& found) {
                    call.stream = number(stream);
                    StreamObject* on = resolve(stream, call.function);
                    if (on == nullptr) return cudaErrorInvalidResourceHandle;
                    if (found.op) enqueue(on, call.function, {}, nullptr, {found.op});
                    return cudaSuccess;
                  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* user_data, unsigned flags) {
  return on_stream("cudaStreamAddCallback", stream, [&](StreamObject* found) {
    if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
    enqueue(found, "cudaStreamAddCallback", {}, [=] { callback(stream, cudaSuccess, user_data); });
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  return on_stream("cudaLaunchHostFunc", stream, [&](StreamObject* found) {
    if (function == nullptr) return cudaErrorInvalidValue;
    enqueue(found, "cudaLaunchHostFunc", {}, [=] { function(user_data); });
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return on_stream("cudaStreamGetPriority", stream, [&](const StreamObject* found) {
    if (priority == nullptr) return cudaErrorInvalidValue;
    *priority = found->priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return on_stream("cudaStreamGetFlags", stream, [&](const StreamObject* found) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = found->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return on_stream("cudaStreamGetDevice", stream, [&](const StreamObject* found) {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = found->device;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return on_stream("cudaStreamGetId", stream, [&](const StreamObject* found) {
    if (id == nullptr) return cudaErrorInvalidValue;
    *id = found->id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int* status) {
  return not_capturing("cudaStreamIsCapturing", stream, status);
}

#if VCUDA_RUNTIME == 13
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int* status, unsigned long long*, void**,
                                     const void**, const void**, size_t*) {
  return not_capturing("cudaStreamGetCaptureInfo", stream, status);
}
#else
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, int* status, unsigned long long*,
                                        void**, const void**, size_t*) {
  return not_capturing("cudaStreamGetCaptureInfo_v2", stream, status);
}

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, int* status, unsigned long long*,
                                        void**, const void**, const void**, size_t*) {
  return not_capturing("cudaStreamGetCaptureInfo_v3", stream, status);
}
#endif

cudaError_t cudaThreadExchangeStreamCaptureMode(int* mode) {
  return api("cudaThreadExchangeStreamCaptureMode", NoDevice, [&](aoti_cts_vcuda_call&) {
    if (mode == nullptr || *mode < 0 || *mode > 2) return cudaErrorInvalidValue;
    std::swap(*mode, self().capture_mode);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return api("cudaEventCreate", Plain, [&](aoti_cts_vcuda_call&) { return make_event(event, 0); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return api("cudaEventCreateWithFlags", Plain,
             [&](aoti_cts_vcuda_call&) { return make_event(event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return on_event("cudaEventDestroy", event, [&](aoti_cts_vcuda_call&, const EventObject&) {
    World::get().events.erase(event);
    delete event;
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return on_event("cudaEventRecord", event, [&](aoti_cts_vcuda_call& call, EventObject& found) {
    return record(call, found, stream);
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return on_event(
      "cudaEventRecordWithFlags", event,
      [&](aoti_cts_vcuda_call& call, EventObject& found) { return record(call, found, stream); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return on_event("cudaEventSynchronize", event,
                  [](aoti_cts_vcuda_call&, const EventObject& found) {
                    if (found.op) complete(found.op);
                    return cudaSuccess;
                  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return on_event("cudaEventQuery", event, [](aoti_cts_vcuda_call&, const EventObject& found) {
    if (!found.op || found.op->done) return cudaSuccess;
    complete(found.op);
    return cudaErrorNotReady;
  });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return elapsed("cudaEventElapsedTime", ms, start, end);
}

#if VCUDA_RUNTIME == 12
cudaError_t cudaEventElapsedTime_v2(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return elapsed("cudaEventElapsedTime_v2", ms, start, end);
}
#endif

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return pool_of("cudaDeviceGetDefaultMemPool", pool, device);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return pool_of("cudaDeviceGetMemPool", pool, device);
}

cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t pool) {
  return accept_pool("cudaDeviceSetMemPool", pool);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void* value) {
  return api("cudaMemPoolGetAttribute", Plain, [&](aoti_cts_vcuda_call&) {
    if (pool == nullptr || value == nullptr) return cudaErrorInvalidValue;
    // Attributes 1 to 3 are switches (int), the others byte counts.
    if (attribute >= 1 && attribute <= 3) {
      *static_cast<int*>(value) = 1;
    } else {
      *static_cast<std::uint64_t*>(value) = 0;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int, void*) {
  return accept_pool("cudaMemPoolSetAttribute", pool);
}

// Who opens a pool to one other device is taken to open them all to all.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const void*, size_t count) {
  const cudaError_t error = accept_pool("cudaMemPoolSetAccess", pool);
  World& world = World::get();
  const std::lock_guard lock(world.mutex);
  world.pools_open = world.pools_open || (error == cudaSuccess && count > 0);
  return error;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return accept_pool("cudaMemPoolTrimTo", pool);
}

}  // namespace aoti_cts::vcuda
}
