import { isBound, isTerminal } from '@berth/resources'
import { DEFAULT_SCHEDULER, schedulerNameOf } from '@berth/scheduler-config'
import { reporterOf } from '../../explain/observed/core-event.ts'
import { leaseNamesOf, schedulerSign } from '../../explain/observed/scheduler-sign.ts'
import type { ExtensionHealth } from '../model/extension.ts'
import { placeOf } from '../model/program.ts'
import { survey } from '../model/survey.ts'
import { usersOf } from '../model/users.ts'

/** The schedulers: every name that a pod, a configuration or an event has. */
export const schedulers = survey({
  kind: 'schedulers',
  title: 'Schedulers',
  needs: ['pods', 'leases', 'schedulingEvents', 'schedulerSettings'],
  find({ pods, leases, schedulingEvents, schedulerSettings }, context) {
    const living = pods.filter((pod) => !isTerminal(pod))
    const names = new Set([
      DEFAULT_SCHEDULER,
      ...living.map(schedulerNameOf),
      ...schedulerSettings.flatMap(({ schedulerNames }) => schedulerNames),
      ...schedulingEvents.map(reporterOf).filter((name) => name !== ''),
    ])
    const unread = [
      ...(context.unread.has('leases') ? ['leases'] : []),
      ...(context.unread.has('schedulingEvents') ? ['events'] : []),
    ]
    return [...names].map((name) => {
      const settings = schedulerSettings.filter(({ schedulerNames }) => schedulerNames.includes(name))
      const leaseNames = new Set([
        ...leaseNamesOf(name, undefined),
        ...settings.flatMap(({ lease }) => lease?.split('/')[1] ?? []),
      ])
      const around = {
        leases: leases.filter(({ metadata }) => leaseNames.has(metadata.name ?? '')),
        schedulerEvents: schedulingEvents.filter((event) => reporterOf(event) === name),
        unread,
      }
      const sign = schedulerSign(name, around, context.nowMs)
      const own = living.filter((pod) => schedulerNameOf(pod) === name)
      const waiting = own.filter((pod) => !isBound(pod)).length
      return {
        name,
        ...usersOf(
          own.map((pod) => `pod ${placeOf(pod)}`),
          context,
          'pods',
        ),
        health: healthOfSign(sign.state, waiting),
        evidence: [
          sign.sentence,
          ...(waiting > 0 ? [`${waiting} of its ${own.length} pods have no node.`] : []),
          ...new Set(settings.map(({ source }) => `Configured by ${source}.`)),
        ],
      }
    })
  },
})

/** A missing sign is a failure only where pods wait: a scheduler without leader election and work leaves none. */
function healthOfSign(state: 'seen' | 'none' | 'unknown', waiting: number): ExtensionHealth {
  if (state === 'seen') return 'healthy'
  return state === 'none' && waiting > 0 ? 'unhealthy' : 'unknown'
}
