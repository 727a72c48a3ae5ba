import { resourceRefs } from '@berth/k8s-client'
import { placeOf, programsOf } from '../../extensions/model/program.ts'
import { isReady } from '../../facts/is-ready.ts'
import type { SchedulerSettings } from '../../facts/scheduler-settings.ts'
import { check, type Finding, type Fix } from '../model/check.ts'
import { kubectlCommand } from '../model/kubectl-command.ts'

/** Whether one scheduler at a time places the pods of each schedulerName. */
export const schedulerNames = check({
  id: 'scheduler-names',
  title: 'One scheduler at a time serves each schedulerName',
  needs: ['schedulerSettings', 'pods'],
  run({ schedulerSettings, pods }) {
    const ready = new Set(pods.filter(isReady).map(placeOf))
    const programOf = new Map(
      programsOf(pods).flatMap(({ name, pods: members }) => members.map((pod) => [placeOf(pod), name] as const)),
    )
    // Where the source does not show the election, the scheduler may well elect a leader.
    const running = schedulerSettings.filter(
      (one) => one.isElected !== undefined && ready.has(`${one.namespace}/${one.pod}`),
    )
    const served = running.flatMap((settings) => settings.schedulerNames.map((name) => ({ name, settings })))
    return {
      examined: running.map(
        (one) =>
          `${one.source}: ${one.schedulerNames.join(', ')}${one.lease === undefined ? ' without leader election' : ` with the Lease ${one.lease}`}.`,
      ),
      findings: [...Map.groupBy(served, ({ name }) => name)].flatMap(([name, entries]): readonly Finding[] => {
        const owners = Map.groupBy(
          entries.map(({ settings }) => settings),
          ({ lease, namespace, pod }) => lease ?? `pod ${namespace}/${pod}`,
        )
        if (owners.size < 2) return []
        const members = [...owners.values()].flat()
        return [
          {
            severity: 'problem',
            sentence: `${owners.size} schedulers place the pods with the schedulerName ${name} at the same time.`,
            evidence: members.map(
              (one) =>
                `Pod ${one.namespace}/${one.pod} (${one.source}) ${one.lease === undefined ? 'has no leader election' : `competes for the Lease ${one.lease}`}.`,
            ),
            fix: stopOne(members, programOf),
          },
        ]
      }),
    }
  },
})

/** Proposes to stop a Deployment, because a scheduler of the control plane is what the cluster relies on. */
function stopOne(members: readonly SchedulerSettings[], programOf: ReadonlyMap<string, string>): Fix {
  const sentence =
    'Give one of them another schedulerName, or let all of them compete for one Lease (leaderElection.resourceName and .resourceNamespace).'
  const programs = members.map((one) => programOf.get(`${one.namespace}/${one.pod}`) ?? '')
  const stopped = programs.find((program) => program.startsWith('Deployment '))
  const others = programs.filter((program) => program !== stopped)
  const [namespace = '', name = ''] = stopped?.slice('Deployment '.length).split('/') ?? []
  // All replicas of one Deployment: fewer of them is enough.
  const replicas = others.length === 0 ? 1 : 0
  const commands =
    stopped === undefined
      ? []
      : kubectlCommand([name, namespace], 'scale', 'deployment', name, '-n', namespace, `--replicas=${replicas}`)
  return {
    sentence: commands.length === 0 ? sentence : `${sentence} Until then, let one of them place pods.`,
    commands,
    safety:
      commands.length === 0
        ? 'Nothing changes by itself.'
        : 'Bound pods stay where they are. The remaining scheduler places the pods that wait.',
    trials:
      commands.length === 0
        ? []
        : [
            {
              resource: resourceRefs.deployments,
              target: { namespace, name },
              type: 'merge',
              subresource: 'scale',
              body: { spec: { replicas } },
            },
          ],
  }
}
