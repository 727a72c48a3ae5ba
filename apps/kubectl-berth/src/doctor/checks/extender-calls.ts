import { hideUrlCredentials } from '@berth/text/hide-url-credentials'
import { eventTimeMs, latestEvent } from '../../explain/observed/core-event.ts'
import { extenders } from '../../extensions/control-plane/extenders.ts'
import { noFacts } from '../../facts/facts.ts'
import { check, type Finding } from '../model/check.ts'
import { logsFix } from '../model/reading-fix.ts'

/** An event that is older than this may describe a failure that has ended, milliseconds. */
const RECENT_MS = 600_000

/** Whether schedulers reach the extenders that their configurations name. */
export const extenderCalls = check({
  id: 'extender-calls',
  title: 'Schedulers reach their extenders',
  needs: ['pods', 'services', 'endpointSlices', 'schedulerSettings', 'schedulingEvents'],
  run(facts, context) {
    const configured = facts.schedulerSettings.flatMap((settings) =>
      settings.extenders.map((extender) => ({ settings, extender })),
    )
    const states = extenders.find({ ...noFacts, ...facts }, context)
    const byUrl = Map.groupBy(configured, ({ extender }) => extender.urlPrefix)
    return {
      examined: [...byUrl].map(
        ([url, entries]) => `${url}, called by ${entries.map(({ settings }) => settings.source).join(', ')}.`,
      ),
      findings: [...byUrl].flatMap(([url, entries]): readonly Finding[] => {
        const [first] = entries
        const state = states.find(({ name }) => name === url)
        const failure = latestEvent(
          facts.schedulingEvents.filter(
            (event) => context.nowMs - eventTimeMs(event) <= RECENT_MS && isCallFailure(event.message ?? '', url),
          ),
        )
        if (first === undefined || (state?.health !== 'unhealthy' && failure === undefined)) return []
        const { namespace, pod } = first.settings
        const isIgnorable = entries.every(({ extender }) => extender.isIgnorable)
        return [
          {
            severity: isIgnorable ? 'warning' : 'problem',
            sentence: `The extender ${url} does not answer${isIgnorable ? ', so pods are placed without its rules' : ', so pods that need it stay pending'}.`,
            evidence: [
              ...(state?.evidence ?? []),
              ...(failure === undefined ? [] : [`Event ${failure.reason ?? ''}: ${failure.message ?? ''}`]),
            ],
            fix: logsFix('Read what the scheduler says about its calls, and restart or repair the extender.', {
              namespace,
              name: pod,
            }),
          },
        ]
      }),
    }
  },
})

/** kube-scheduler puts Go's error of the call into the event: `Post "URL/filter": dial tcp …`. */
function isCallFailure(message: string, url: string): boolean {
  const prefix = `${url.replace(/\/+$/, '')}/`
  const [, ...quoted] = message.split('"').map(hideUrlCredentials)
  return quoted.some((text) => text === url || text.startsWith(prefix))
}
