import type { Cluster } from '@berth/k8s-client'

/** A connection to the chosen cluster; disposing it closes the connection. */
export interface Session extends AsyncDisposable {
  readonly cluster: Cluster
  /** The context's namespace, `default` where it names none. */
  readonly namespace: string
}
