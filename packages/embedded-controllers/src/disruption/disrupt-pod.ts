import { type ApiObject, listAt, stringAt, timestamp, valueAt } from '@berth/embedded-api-server'
import type { ControllerParts } from '../loop/controller.ts'

/** Writes into a pod's status why a controller is about to delete it; `phase` where it ends with that. */
export function disruptPod(
  { context, client }: Pick<ControllerParts, 'context' | 'client'>,
  pod: ApiObject,
  why: { readonly reason: string; readonly message: string; readonly phase?: 'Failed' },
): void {
  const { reason, message, phase } = why
  const others = listAt(pod, 'status', 'conditions').filter((each) => stringAt(each, 'type') !== 'DisruptionTarget')
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(context.clock),
    reason,
    message,
  }
  client.updateStatus('/pods', pod, {
    ...(valueAt(pod, 'status') as object | undefined),
    conditions: [...others, condition],
    ...(phase === undefined ? {} : { phase }),
  })
}
