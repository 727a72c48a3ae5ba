import type { Cluster } from '@berth/k8s-client'

/** A connection to the chosen cluster. Disposing it closes the connection. */
export interface Session extends AsyncDisposable {
  readonly cluster: Cluster
  /** Deadline of one request, in milliseconds: --request-timeout, or 30 s. */
  readonly deadlineMs: number
  /** Namespace of the context, or `default`. */
  readonly namespace: string
}
