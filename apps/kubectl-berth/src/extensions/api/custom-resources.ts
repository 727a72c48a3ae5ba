import type { Pod } from '@berth/types'
import type { ClusterRole, ClusterRoleBinding, CustomResourceDefinition } from '../../facts/fact-kinds.ts'
import type { Facts } from '../../facts/facts.ts'
import type { ExtensionHealth } from '../model/extension.ts'
import { healthOf, type Program, programsOf, readinessText } from '../model/program.ts'
import { calledServerState } from '../model/servers.ts'
import { survey, type SurveyContext } from '../model/survey.ts'
import { usersOf } from '../model/users.ts'

/** Verbs with which a controller writes status. */
const WRITES: ReadonlySet<string> = new Set(['update', 'patch', '*'])

/**
 * The custom kinds with their controllers. Controllers are the programs whose ServiceAccount a ClusterRole allows, by the
 * name of the kind, to write the status, and the field managers that wrote the status of an object.
 */
export const customResources = survey({
  kind: 'custom-resources',
  title: 'Custom resources and their controllers',
  needs: [
    'customResourceDefinitions',
    'customObjects',
    'pods',
    'clusterRoles',
    'clusterRoleBindings',
    'endpointSlices',
  ],
  find(facts, context) {
    const programs = programsOf(facts.pods).map((program) => ({
      program,
      accounts: [...new Set(program.pods.map(accountOf))],
    }))
    return facts.customResourceDefinitions.map((definition) => {
      const { name = '' } = definition.metadata
      const objects = facts.customObjects.find((one) => one.definition === name)
      const accounts = accountsThatWrite(definition, facts.clusterRoles, facts.clusterRoleBindings)
      const controllers = programs
        .filter((one) => one.accounts.some((account) => accounts.has(account)))
        .map(({ program }) => program)
      const conversion = definition.spec.conversion?.webhook?.clientConfig
      const converter =
        conversion === undefined ? undefined : calledServerState(conversion, facts.endpointSlices, context)
      const faults = (definition.status?.conditions ?? []).filter(isFault)
      const count = objects?.count ?? 0
      return {
        name,
        ...usersOf(count > 0 ? [`${count} ${count === 1 ? 'object' : 'objects'}`] : [], context, 'customObjects'),
        health: healthOfKind(controllers, faults.length > 0 || converter?.health === 'unhealthy'),
        evidence: [
          ...faults.map(({ type, status, message = '' }) => `Its condition ${type} is ${status}: ${message}`),
          ...controllers.map((controller) => `${controller.name} may write its status. ${readinessText(controller)}.`),
          ...(controllers.length > 0 ? [] : [noController(accounts, context)]),
          ...(objects === undefined || objects.statusWriters.length === 0
            ? []
            : [`The status of its first object was written by ${objects.statusWriters.join(', ')}.`]),
          ...(converter === undefined ? [] : converter.evidence.map((text) => `Conversion: ${text}`)),
        ],
      }
    })
  },
})

function isFault({ type, status }: { readonly type: string; readonly status: string }): boolean {
  if (type === 'Established' || type === 'NamesAccepted') return status !== 'True'
  return type === 'NonStructuralSchema' && status === 'True'
}

function healthOfKind(controllers: readonly Program[], isBroken: boolean): ExtensionHealth {
  if (isBroken) return 'unhealthy'
  if (controllers.length === 0) return 'unknown'
  return controllers.some((controller) => healthOf(controller) === 'healthy') ? 'healthy' : 'unhealthy'
}

function noController(accounts: ReadonlySet<string>, { unread }: SurveyContext): string {
  const sources = accounts.size === 0 ? (['clusterRoles', 'clusterRoleBindings'] as const) : (['pods'] as const)
  if (sources.some((source) => unread.has(source))) return 'Its controller is unknown.'
  return accounts.size === 0
    ? 'No ClusterRole names it for a ServiceAccount, so its controller is unknown.'
    : `No running pod has a ServiceAccount that may write its status: ${[...accounts].toSorted().join(', ')}.`
}

/** The facts that tell which ServiceAccounts belong to controllers of custom kinds. */
export const controllerFacts = ['customResourceDefinitions', 'clusterRoles', 'clusterRoleBindings'] as const

/** Returns the ServiceAccounts, as `namespace/name`, of the controllers of custom kinds. */
export function controllerAccounts(facts: Pick<Facts, (typeof controllerFacts)[number]>): ReadonlySet<string> {
  const { customResourceDefinitions, clusterRoles, clusterRoleBindings } = facts
  return new Set(
    customResourceDefinitions.flatMap((one) => [...accountsThatWrite(one, clusterRoles, clusterRoleBindings)]),
  )
}

/** Returns the ServiceAccounts, as `namespace/name`, that a ClusterRole allows to write the status of a kind. */
function accountsThatWrite(
  { spec }: CustomResourceDefinition,
  roles: readonly ClusterRole[],
  bindings: readonly ClusterRoleBinding[],
): ReadonlySet<string> {
  const names = new Set(
    roles
      .filter(({ rules }) =>
        (rules ?? []).some(
          ({ apiGroups = [], resources = [], verbs = [] }) =>
            apiGroups.includes(spec.group) &&
            resources.includes(`${spec.names.plural}/status`) &&
            verbs.some((verb) => WRITES.has(verb)),
        ),
      )
      .map(({ metadata }) => metadata.name ?? ''),
  )
  return new Set(
    bindings
      .filter(({ roleRef }) => names.has(roleRef.name))
      .flatMap(({ subjects }) => subjects ?? [])
      .filter(({ kind }) => kind === 'ServiceAccount')
      .map(({ namespace = '', name }) => `${namespace}/${name}`),
  )
}

function accountOf({ metadata, spec }: Pod): string {
  return `${metadata.namespace ?? 'default'}/${spec.serviceAccountName ?? 'default'}`
}
