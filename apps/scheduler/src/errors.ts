import { BerthError, type BerthErrorOptions, type ErrorDescription } from '@berth/types'

/** An extender did not respond, or its response cannot be used. The attempt ends without a decision. */
export class ExtenderError extends BerthError {}

/** A plugin's effect hook threw or missed its deadline. The attempt ends, and unreserve runs. */
export class EffectError extends BerthError {
  readonly plugin: string

  constructor(plugin: string, message: string, options: BerthErrorOptions) {
    super(message, options)
    this.plugin = plugin
  }
}

/** Victims could not be deleted for a pod of higher priority. Its nomination is cleared and the pod retried. */
export class PreemptionError extends BerthError {}

/** The Lease was lost: another replica may schedule. */
export class LeaseError extends BerthError {}

/** Every error code of the scheduler. */
export const schedulerErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_SCHEDULER_CONFIG_EXTENDER_TLS',
    meaning: 'A certificate or key of an extender cannot be read.',
    action: 'Check the file or the base64 value that the message names.',
  },
  {
    code: 'BERTH_SCHEDULER_EXTENDER_CALL',
    meaning: 'An extender did not respond with status 200 within httpTimeout.',
    action: 'Check that the extender runs and is reachable. With `ignorable: true` pods are scheduled without it.',
  },
  {
    code: 'BERTH_SCHEDULER_EXTENDER_ANSWER',
    meaning:
      'The response of an extender is not valid JSON of the protocol, or names nodes that were not in the request.',
    action: 'Report it to the maintainers of the extender. The message names the invalid part.',
  },
  {
    code: 'BERTH_SCHEDULER_EXTENDER_REFUSED',
    meaning: 'An extender responded with an error message.',
    action: 'See the message of the extender.',
  },
  {
    code: 'BERTH_SCHEDULER_EFFECT',
    meaning: 'A reserve, permit, preBind, bind or postFilter hook of a plugin threw or missed its deadline.',
    action: 'See the cause in the log, and fix or disable the plugin.',
  },
  {
    code: 'BERTH_SCHEDULER_VOLUMES',
    meaning:
      'The volumes of a pod were not bound: a write failed, the provisioner gave up, or the binding took longer than bindTimeoutSeconds of VolumeBinding.',
    action: 'The pod is retried. See the events of the claim and the log of the provisioner of its storage class.',
  },
  {
    code: 'BERTH_SCHEDULER_PLUGIN_HUNG',
    meaning:
      'A hook of a contributed plugin did not return within half of renewDeadline. The process ended, and the pod is set aside.',
    action:
      'Fix the plugin that the condition of the pod names, then remove the condition or recreate the pod. Other pods are scheduled.',
  },
  {
    code: 'BERTH_SCHEDULER_PREEMPT',
    meaning: 'A victim could not be marked or deleted, or this replica is no longer the leader.',
    action:
      'See the reason. The scheduler needs the verbs "delete" on "pods" and "patch" on "pods/status". The scheduler retries the pod.',
  },
  {
    code: 'BERTH_SCHEDULER_LEASE_FORBIDDEN',
    meaning:
      'Leader election is off and this process may not use the Lease, so that a second replica would not be noticed.',
    action:
      'Grant the verbs "get", "create" and "update" on "leases" in the namespace of the Lease, or choose another namespace with --leader-elect-resource-namespace.',
  },
  {
    code: 'BERTH_SCHEDULER_LEASE_LOST',
    meaning: 'This replica lost its Lease, or could not renew it, so that another replica may schedule.',
    action:
      'Nothing: with leader election the process restarts, without it the process goes on when it holds the Lease again. If it happens often, check the connection to the API server.',
  },
]
