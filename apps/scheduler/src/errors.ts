import { BerthError, type ErrorDescription } from '@berth/types'

/** An extender did not answer, or answered something that must not be used. The attempt ends without a decision. */
export class ExtenderError extends BerthError {}

/** An effect hook of a plugin broke or took too long. The attempt ends, and what was reserved is given back. */
export class EffectError extends BerthError {}

/** A pod could not be bound. The assumption is forgotten and the pod tried again, unless it is bound by now. */
export class BindError extends BerthError {}

/** Room could not be made for a pod of higher priority. Its nomination is taken back and the pod tried again. */
export class PreemptionError extends BerthError {}

/** The Lease of the leader is lost: another replica may schedule. */
export class LeaseError extends BerthError {}

/** Every error code of the scheduler. */
export const schedulerErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_SCHEDULER_CONFIG_INVALID',
    meaning: 'The KubeSchedulerConfiguration cannot be read, has an unknown key or an illegal value.',
    action: 'Correct the key that the message names.',
  },
  {
    code: 'BERTH_SCHEDULER_CONFIG_POLICY',
    meaning: 'The file given by --config is a scheduler Policy, an API that kube-scheduler dropped in 1.23.',
    action: 'Use the KubeSchedulerConfiguration that the hint prints.',
  },
  {
    code: 'BERTH_SCHEDULER_CONFIG_PROFILE',
    meaning: 'A profile names a plugin that does not exist, gives it wrong arguments, or sorts the queue its own way.',
    action: 'Correct the key that the message names; the log lists the plugins at start.',
  },
  {
    code: 'BERTH_SCHEDULER_CONFIG_EXTENDER_TLS',
    meaning: 'A certificate or key of an extender cannot be read.',
    action: 'Check the file or the base64 text that the message names.',
  },
  {
    code: 'BERTH_SCHEDULER_EXTENDER_CALL',
    meaning: 'An extender did not answer with status 200 within httpTimeout.',
    action: 'Check that it runs and can be reached; `ignorable: true` goes on without it.',
  },
  {
    code: 'BERTH_SCHEDULER_EXTENDER_ANSWER',
    meaning: 'An extender answered no valid JSON of the protocol, or named nodes that it was not asked about.',
    action: 'Report it to the makers of the extender; the message holds the part that is wrong.',
  },
  {
    code: 'BERTH_SCHEDULER_EXTENDER_REFUSED',
    meaning: 'An extender answered with the text of an error.',
    action: 'Read the text; the extender knows why.',
  },
  {
    code: 'BERTH_SCHEDULER_EFFECT',
    meaning: 'A reserve, permit, preBind, bind or postFilter hook of a plugin threw or missed its deadline.',
    action: 'Read the cause in the log and mend or disable the plugin.',
  },
  {
    code: 'BERTH_SCHEDULER_BIND',
    meaning: 'The API server did not bind the pod, or did not say whether it did.',
    action: 'Nothing; the pod is read again and tried again unless it is bound.',
  },
  {
    code: 'BERTH_SCHEDULER_PREEMPT',
    meaning: 'A pod of lower priority could not be marked or deleted, or this replica is not the leader any more.',
    action: 'Look at the reason; deleting pods and patching pods/status must be allowed. The pod is tried again.',
  },
  {
    code: 'BERTH_SCHEDULER_LEASE_LOST',
    meaning: 'This replica lost its Lease, so that another one schedules.',
    action: 'Nothing, unless it happens often: then look at the connection to the API server.',
  },
]
