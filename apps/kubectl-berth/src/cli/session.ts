import type { Cluster } from '@berth/k8s-client'

/** A connection to the chosen cluster. Disposing it closes the connection. */
export interface Session extends AsyncDisposable {
  readonly cluster: Cluster
  /** Namespace of the context, or `default`. */
  readonly namespace: string
}
