import { VOLUME_BINDING } from '@berth/scheduler-config'
import { errorText } from '@berth/text/error-text'
import { EffectError } from '../errors.ts'

/** Creates the error for volumes that could not be assumed, because they are no longer free. */
export function assumeError(nodeName: string): EffectError {
  const message = `running Reserve plugin "${VOLUME_BINDING}": the volumes for node ${nodeName} changed while extenders were called`
  return new EffectError(VOLUME_BINDING, message, { code: 'BERTH_SCHEDULER_VOLUMES', retryable: true })
}

/** Creates the error for volumes that were not bound, with kube-scheduler's text. */
export function bindError(cause: unknown): EffectError {
  const message = `running PreBind plugin "${VOLUME_BINDING}": ${errorText(cause)}`
  return new EffectError(VOLUME_BINDING, message, { code: 'BERTH_SCHEDULER_VOLUMES', retryable: true, cause })
}
