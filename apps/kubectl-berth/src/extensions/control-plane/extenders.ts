import { isTerminal, podRequest } from '@berth/resources'
import { schedulerNameOf } from '@berth/scheduler-config'
import type { Pod, Service } from '@berth/types'
import type { EndpointSlice } from '../../facts/fact-kinds.ts'
import { isReady } from '../../facts/is-ready.ts'
import type { SchedulerSettings } from '../../facts/scheduler-settings.ts'
import type { Extension } from '../model/extension.ts'
import { healthOf, placeOf, programsOf, readinessText } from '../model/program.ts'
import { serviceState, type ServerState } from '../model/servers.ts'
import { survey, type SurveyContext } from '../model/survey.ts'
import { usersOf } from '../model/users.ts'

/** The extenders that configurations name, and Berth's extender where no readable configuration names one. */
export const extenders = survey({
  kind: 'extenders',
  title: 'Scheduler extenders',
  needs: ['pods', 'services', 'endpointSlices', 'schedulerSettings'],
  find({ pods, services, endpointSlices, schedulerSettings }, context) {
    const configured = schedulerSettings.flatMap((settings) =>
      settings.extenders.map((extender): Extension => {
        const users = pods.filter(
          (pod) =>
            !isTerminal(pod) &&
            settings.schedulerNames.includes(schedulerNameOf(pod)) &&
            (extender.managedResources.length === 0 || extender.managedResources.some((name) => requests(pod, name))),
        )
        const state = stateOf(extender.urlPrefix, { settings, pods, services, endpointSlices, context })
        return {
          name: extender.urlPrefix,
          ...usersOf(
            users.map((pod) => `pod ${placeOf(pod)}`),
            context,
            'pods',
          ),
          health: state.health,
          evidence: [
            `${settings.source} names it for ${settings.schedulerNames.join(', ')}.`,
            extender.managedResources.length === 0
              ? 'It is called for every pod.'
              : `It is called for pods that request ${extender.managedResources.join(', ')}.`,
            ...state.evidence,
          ],
        }
      }),
    )
    if (configured.length > 0) return [...Map.groupBy(configured, ({ name }) => name).values()].map(merged)
    const own = programsOf(pods.filter(isBerthExtender))
    return own.map((program) => ({
      name: program.name,
      use: 'unknown',
      usedBy: [],
      health: healthOf(program),
      evidence: [`${readinessText(program)}.`, 'No scheduler configuration that can be read names it.'],
    }))
  },
})

/** Merges what the replicas of a scheduler say about one extender. It works when it works for each of them. */
function merged(entries: readonly Extension[]): Extension {
  const [first] = entries
  if (first === undefined) throw new Error('an extender without an entry')
  const [worst = first] = ['unhealthy', 'unknown'].flatMap((health) => entries.filter((one) => one.health === health))
  const using = entries.find(({ use }) => use === 'used') ?? first
  return {
    name: first.name,
    use: using.use,
    usedBy: [...new Set(entries.flatMap(({ usedBy }) => usedBy))].toSorted(),
    health: worst.health,
    evidence: [...new Set(entries.flatMap(({ evidence }) => evidence))],
  }
}

function requests(pod: Pod, resourceName: string): boolean {
  return (podRequest(pod).scalar.get(resourceName) ?? 0n) > 0n
}

function isBerthExtender({ metadata }: Pod): boolean {
  const { labels = {} } = metadata
  return labels['app.kubernetes.io/part-of'] === 'berth' && labels['app.kubernetes.io/component'] === 'extender'
}

interface Surroundings {
  readonly settings: SchedulerSettings
  readonly pods: readonly Pod[]
  readonly services: readonly Service[]
  readonly endpointSlices: readonly EndpointSlice[]
  readonly context: SurveyContext
}

/** Says whether a scheduler can reach the server of a URL: beside it in the pod, or behind a Service. */
function stateOf(url: string, { settings, pods, services, endpointSlices, context }: Surroundings): ServerState {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  if (/^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/.test(host)) {
    const place = `${settings.namespace}/${settings.pod}`
    const pod = pods.find((one) => placeOf(one) === place)
    if (pod === undefined) return { health: 'unknown', evidence: [] }
    return isReady(pod)
      ? { health: 'healthy', evidence: [`It runs beside the scheduler in pod ${place}, which is ready.`] }
      : { health: 'unhealthy', evidence: [`It runs beside the scheduler in pod ${place}, which is not ready.`] }
  }
  const service = serviceOf(host, services, settings.namespace)
  return service === undefined
    ? {
        health: 'unknown',
        evidence: [
          context.unread.has('services')
            ? 'Whether a Service has this address is unknown.'
            : 'No Service has this address, so only the scheduler can check it.',
        ],
      }
    : serviceState(endpointSlices, service, context)
}

/** Returns the Service of a host name `name[.namespace[.svc…]]` or of a ClusterIP. */
function serviceOf(
  host: string,
  services: readonly Service[],
  schedulerNamespace: string,
): { readonly namespace: string; readonly name: string } | undefined {
  const [name = '', namespace = schedulerNamespace, kind = 'svc'] = host.split('.')
  const found = services.find(
    ({ metadata, spec }) =>
      spec?.['clusterIP'] === host ||
      (kind === 'svc' && metadata.name === name && (metadata.namespace ?? 'default') === namespace),
  )
  return found === undefined
    ? undefined
    : { namespace: found.metadata.namespace ?? 'default', name: found.metadata.name ?? '' }
}
