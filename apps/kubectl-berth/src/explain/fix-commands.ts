import type { Fix } from '@berth/fit-engine'
import { isDnsSubdomain, isLabelValue, qualifiedNameProblem } from '@berth/types'
import { shellCommand } from '@berth/text/shell-command'
import { addCapacity, lowerRequest } from './recipes/change-resources.ts'
import { relaxRule, tolerate } from './recipes/change-rules.ts'
import type { FixRecipe, FixTarget } from './recipes/fix-recipe.ts'

/** A fix that changes a node changes it for every pod. */
const OPENS_NODE = 'other pods may be placed on the node, too'

/**
 * Returns the commands that apply a fix, to paste into a shell: every word is quoted. The API server does not validate
 * every name (those of owners, for example), so a command is returned only for valid names and known kinds.
 */
export function fixRecipe(fix: Fix, target: FixTarget): FixRecipe {
  const pairs = keysAndValuesOf(fix)
  const name =
    namesOf(fix, target).find((given) => !isDnsSubdomain(given)) ??
    pairs.map(([key]) => key).find((key) => qualifiedNameProblem(key) !== undefined) ??
    pairs.map(([, value]) => value).find((value) => !isLabelValue(value))
  if (name !== undefined) return { commands: [], note: `no command: ${JSON.stringify(name)} is not a valid name` }
  switch (fix.kind) {
    case 'lower-request':
      return lowerRequest(fix.changes, target)
    case 'evict': {
      const byNamespace = Map.groupBy(fix.pods, ({ namespace }) => namespace)
      return {
        commands: [...byNamespace].map(([namespace, pods]) =>
          shellCommand('kubectl', 'delete', 'pod', ...pods.map((pod) => pod.name), '-n', namespace),
        ),
      }
    }
    case 'add-capacity':
      return addCapacity(fix.node, fix.additions, target)
    case 'tolerate':
      return tolerate(fix, target)
    case 'relax-rule':
      return relaxRule(fix, target)
    case 'remove-taint': {
      const removals = fix.taints.map(
        ({ key, value = '', effect }) => `${key}${value === '' ? '' : `=${value}`}:${effect}-`,
      )
      return { commands: [shellCommand('kubectl', 'taint', 'nodes', fix.node, ...removals)], note: OPENS_NODE }
    }
    case 'uncordon':
      return { commands: [shellCommand('kubectl', 'uncordon', fix.node)], note: OPENS_NODE }
    case 'add-label': {
      const labels = Object.entries(fix.labels).map(([key, value]) => `${key}=${value}`)
      const words = ['label', 'node', fix.node, ...labels, '--overwrite']
      return { commands: [shellCommand('kubectl', ...words)], note: 'only if the label is true of the node' }
    }
  }
}

/** Returns the names of objects that the commands of a fix contain. */
function namesOf(fix: Fix, { pod, workload, file }: FixTarget): readonly string[] {
  switch (fix.kind) {
    case 'tolerate':
    case 'relax-rule':
      return file === undefined ? [workload?.name ?? pod.metadata.name ?? '', pod.metadata.namespace ?? 'default'] : []
    case 'lower-request': {
      if (file !== undefined) return []
      const { name = '', namespace = 'default' } = pod.metadata
      return [workload?.name ?? name, namespace, ...pod.spec.containers.map((container) => container.name)]
    }
    case 'evict':
      return fix.pods.flatMap(({ namespace, name }) => [namespace, name])
    case 'add-capacity':
    case 'remove-taint':
    case 'uncordon':
    case 'add-label':
      return [fix.node]
  }
}

/** A key and value that a command of the fix contains: of a resource, taint or label. */
type KeyAndValue = readonly [key: string, value: string]

function keysAndValuesOf(fix: Fix): readonly KeyAndValue[] {
  switch (fix.kind) {
    case 'lower-request':
      return fix.changes.map(({ resourceName }) => [resourceName, ''])
    case 'add-capacity':
      return fix.additions.map(({ resourceName }) => [resourceName, ''])
    case 'remove-taint':
      return fix.taints.map(({ key, value = '' }) => [key, value])
    case 'tolerate':
      return fix.tolerations.map(({ key = '', value = '' }) => [key, value])
    case 'add-label':
      return Object.entries(fix.labels)
    case 'evict':
    case 'uncordon':
    case 'relax-rule':
      return []
  }
}
