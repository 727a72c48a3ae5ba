import { Metadata, status, type CallOptions, type ClientUnaryCall, type ServiceError } from '@grpc/grpc-js'
import type { Clock } from '@berth/types'

type Unary<Request, Response> = (
  request: Request,
  metadata: Metadata,
  options: Partial<CallOptions>,
  callback: (error: ServiceError | null, response: Response) => void,
) => ClientUnaryCall

/** Makes a unary call. With `timeoutMs` it waits for the socket, and is cancelled after that time. */
export function unaryCall<Request, Response>(
  call: Unary<Request, Response>,
  request: Request,
  options: { readonly clock: Clock; readonly timeoutMs?: number },
): Promise<Response> {
  const { clock, timeoutMs } = options
  const metadata = new Metadata({ waitForReady: timeoutMs !== undefined })
  return new Promise((resolve, reject) => {
    let isLate = false
    const running = call(request, metadata, {}, (error, response) => {
      timer?.cancel()
      if (error === null) resolve(response)
      else reject(new Error(isLate ? `no answer within ${timeoutMs} ms` : goErrorText(error), { cause: error }))
    })
    const timer =
      timeoutMs === undefined
        ? undefined
        : clock.setTimer(timeoutMs, () => {
            isLate = true
            running.cancel()
          })
  })
}

/** Formats an error like Go's gRPC library, which the kubelet prints. */
function goErrorText({ code, details }: ServiceError): string {
  // UNKNOWN is Unknown, DEADLINE_EXCEEDED is DeadlineExceeded; Go writes CANCELLED with one L.
  const name = (status[code] ?? 'UNKNOWN')
    .split('_')
    .map((word) => word.slice(0, 1) + word.slice(1).toLowerCase())
    .join('')
  return `rpc error: code = ${name === 'Cancelled' ? 'Canceled' : name} desc = ${details}`
}
