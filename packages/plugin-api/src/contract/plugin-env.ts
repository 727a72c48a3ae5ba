import type { Clock, Logger, Random } from '@berth/types'

/** Logger, clock and randomness that a plugin receives when it is created. */
export interface PluginEnv {
  /** The registry adds the name of the plugin to each line. */
  readonly log: Logger
  readonly clock: Clock
  /** For effect hooks only. Decide hooks use the randomness of their context, so that a decision can be replayed. */
  readonly random: Random
}

/** Environment of a device source or a resource source, which is created once for each configured resource. */
export interface SourceEnv extends PluginEnv {
  /** Name of the extended resource, for example `example.com/seat`. */
  readonly resourceName: string
  /** HTTP servers that a resource source may query. It must not query others. Default: none. */
  readonly origins?: readonly AllowedOrigin[]
}

/** An HTTP server that the operator allows sources to query. */
export interface AllowedOrigin {
  /** Protocol, host and port: `https://prometheus.monitoring:9090`. */
  readonly origin: string
  /**
   * Directory with the credentials for it, in files that are named as the keys of a Kubernetes Secret: `token`, `username`
   * and `password`, `ca.crt`, `tls.crt` and `tls.key`. Default: no credentials.
   */
  readonly credentialsDir?: string
}
