import type { Node, Pod } from '@berth/types'
import { healthOf, hostPathsOf, programsOf, readinessText } from '../model/program.ts'
import { survey } from '../model/survey.ts'
import { usersOf } from '../model/users.ts'

/** Directories in which a network plugin puts its configuration and programs. */
const CNI_PATH = /\/(?:etc\/cni\/net\.d|opt\/cni\/bin)$/

/**
 * The network plugins, as far as nodes and pods tell: programs that mount the directories of CNI, and what nodes report
 * about their network. The API has no object for a network plugin.
 */
export const networks = survey({
  kind: 'networks',
  title: 'Network plugins (CNI)',
  needs: ['pods', 'nodes'],
  find({ pods, nodes }, context) {
    const programs = programsOf(pods.filter(mountsCni))
    const problems = nodes.flatMap(networkProblem)
    const reports = [...new Set(nodes.flatMap(networkReport))].toSorted()
    if (programs.length === 0 && problems.length === 0 && reports.length === 0) return []
    const found = programs.length > 0 ? programs : [{ name: 'unnamed', pods: [] }]
    return found.map((program) => {
      const own = new Set(program.pods.flatMap(({ spec }) => spec.nodeName ?? []))
      return {
        name: program.name,
        ...usersOf(
          [...own].map((node) => `node ${node}`),
          context,
          'pods',
        ),
        health: problems.length > 0 ? 'unhealthy' : program.pods.length === 0 ? 'unknown' : healthOf(program),
        evidence: [
          program.pods.length === 0
            ? `${context.unread.has('pods') ? 'Which pods mount the directories of CNI is unknown' : 'No pod mounts the directories of CNI'}, so the plugin has no name here.`
            : `${readinessText(program)}. They mount the directories of CNI.`,
          ...reports,
          ...problems,
        ],
      }
    })
  },
})

function mountsCni(pod: Pod): boolean {
  return hostPathsOf(pod).some((path) => CNI_PATH.test(path))
}

/** Returns what a plugin wrote into the condition NetworkUnavailable. */
function networkReport({ status }: Node): readonly string[] {
  const condition = status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')
  return condition?.status === 'False' && (condition.reason ?? '') !== ''
    ? [`Nodes report ${condition.reason} (condition NetworkUnavailable).`]
    : []
}

function networkProblem({ metadata, status }: Node): readonly string[] {
  const name = metadata.name ?? ''
  return (status?.conditions ?? []).flatMap(({ type, status: value, reason = '', message = '' }) => {
    if (type === 'NetworkUnavailable' && value === 'True') return [`Node ${name} has no network: ${reason} ${message}`]
    return type === 'Ready' && value !== 'True' && /cni|network(?:Ready| plugin)/i.test(message)
      ? [`Node ${name} is not ready: ${message}`]
      : []
  })
}
