import { BerthError, type BerthErrorOptions, type ErrorDescription } from '@berth/types'

/** The extender cannot listen on the configured address. */
export class ServeError extends BerthError {}

/** A request cannot be evaluated. The message becomes the `Error` field of the response. */
export class RefusalError extends BerthError {
  /** The plugin that failed; undefined when no plugin did. */
  readonly plugin: string | undefined

  constructor(message: string, options: BerthErrorOptions & { readonly plugin?: string }) {
    super(message, options)
    this.plugin = options.plugin
  }
}

/** Every error code of the extender. */
export const extenderErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_EXTENDER_CONFIG_TLS',
    meaning:
      'Certificate flags are missing, a certificate file cannot be read, or the flags would allow unauthenticated callers on an address other than loopback.',
    action: 'Pass the three certificate flags, or pass --insecure-http with a loopback address.',
  },
  {
    code: 'BERTH_EXTENDER_CONFIG_PLUGIN',
    meaning: 'A plugin in the configuration does not exist, or its arguments are invalid.',
    action: 'Correct the entry that the message names. The log lists the plugins at start.',
  },
  {
    code: 'BERTH_EXTENDER_CONFIG_RECORD',
    meaning: 'The file of `record` cannot be written.',
    action: 'Name a file in a directory that the extender may write to.',
  },
  {
    code: 'BERTH_EXTENDER_LISTEN',
    meaning: 'The extender cannot listen on the address of --listen, usually because the port is in use.',
    action: 'Choose another --listen address, or stop the process that uses the port.',
  },
  {
    code: 'BERTH_EXTENDER_REQUEST',
    meaning: 'The request body is not a valid ExtenderArgs object.',
    action:
      'Check that the caller is kube-scheduler, or that it follows the protocol k8s.io/kube-scheduler/extender/v1.',
  },
  {
    code: 'BERTH_EXTENDER_STALE',
    meaning: 'The cached cluster state is too old to evaluate pods.',
    action: 'Check /readyz?verbose and the connection to the API server.',
  },
  {
    code: 'BERTH_EXTENDER_UNSUPPORTED',
    meaning: 'The pod uses a constraint that no configured plugin implements, and refuseUnsupported is set.',
    action:
      'Limit the extender to its own resources with managedResources in kube-scheduler, or set refuseUnsupported to false.',
  },
  {
    code: 'BERTH_EXTENDER_BIND',
    meaning:
      'A pod was not bound: it does not fit any more, it changed, another replica holds the Lease, or the result of the bind is not known yet.',
    action: 'Nothing: kube-scheduler retries the pod. If it repeats, see the reason and /readyz?verbose.',
  },
  {
    code: 'BERTH_EXTENDER_CONFIG_BIND',
    meaning: 'ignoredResources or a bind hook is configured without bind, or no plugin counts an ignored resource.',
    action: 'Set bind to true and bindVerb in kube-scheduler, or remove the entry that the message names.',
  },
  {
    code: 'BERTH_EXTENDER_PLUGIN',
    meaning: 'A plugin failed while it evaluated a pod.',
    action: 'See the cause in the log and fix or remove the plugin.',
  },
]
