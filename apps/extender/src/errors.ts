import { BerthError, type ErrorDescription } from '@berth/types'

/** The extender cannot listen where it was told to. */
export class ServeError extends BerthError {}

/** A call cannot be answered with a verdict; its text becomes the `Error` of the answer. */
export class RefusalError extends BerthError {}

/** Every error code of the extender. */
export const extenderErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_EXTENDER_CONFIG_TLS',
    meaning: 'Certificate flags are missing, cannot be read, or callers would prove nothing on an open address.',
    action: 'Pass the three certificate flags, or --insecure-http on a loopback address.',
  },
  {
    code: 'BERTH_EXTENDER_CONFIG_PLUGIN',
    meaning: 'A plugin in the configuration does not exist, or its arguments are wrong.',
    action: 'Correct the entry that the message names; the log lists the plugins at start.',
  },
  {
    code: 'BERTH_EXTENDER_LISTEN',
    meaning: 'The address given by --listen cannot be listened on, mostly because the port is in use.',
    action: 'Choose another --listen address, or stop the process that holds the port.',
  },
  {
    code: 'BERTH_EXTENDER_REQUEST',
    meaning: 'The body of a call is no ExtenderArgs.',
    action: 'Check that the caller is kube-scheduler, or follow the protocol k8s.io/kube-scheduler/extender/v1.',
  },
  {
    code: 'BERTH_EXTENDER_STALE',
    meaning: 'The last word of the API server is too old to judge by.',
    action: 'Look at /readyz?verbose and at the connection to the API server.',
  },
  {
    code: 'BERTH_EXTENDER_UNSUPPORTED',
    meaning: 'The pod uses a constraint that no plugin here implements, and refuseUnsupported is set.',
    action: 'Leave the pod to kube-scheduler by listing managedResources, or turn refuseUnsupported off.',
  },
  {
    code: 'BERTH_EXTENDER_PLUGIN',
    meaning: 'A plugin broke while it judged a pod.',
    action: 'Read the cause in the log and mend or remove the plugin.',
  },
]
