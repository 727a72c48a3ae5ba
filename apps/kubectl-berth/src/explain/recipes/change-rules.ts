import type { RelaxRuleFix, TolerateFix } from '@berth/fit-engine'
import { escapeUnprintable } from '@berth/text/printable'
import { shellCommand } from '@berth/text/shell-command'
import { applyAgain, changeableObject, ownerText, recreateByHand } from './change-by-hand.ts'
import type { FixRecipe, FixTarget } from './fix-recipe.ts'

/** Taints of which admission makes every pod tolerate the first five minutes. */
const admissionKeys: ReadonlySet<string> = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'])

/** Kinds whose pod template cannot be changed in place, or is nested deeper. */
const immutableKinds: ReadonlySet<string> = new Set(['Job', 'CronJob'])

/** Adds tolerations: in place, also to an existing pod. */
export function tolerate({ tolerations }: TolerateFix, target: FixTarget): FixRecipe {
  const { pod, workload, file } = target
  const { namespace = 'default' } = pod.metadata
  const json = escapeUnprintable(JSON.stringify(tolerations))
  if (file !== undefined) return applyAgain(file, `add ${json} to tolerations in the manifest`)
  const object = changeableObject(target)
  if (object === undefined || immutableKinds.has(workload?.kind ?? ''))
    return {
      commands: [],
      note: `add ${json} to the tolerations in ${ownerText(workload)}`,
    }
  const given = (pod.spec.tolerations ?? []).filter(
    ({ key, tolerationSeconds }) =>
      workload === undefined || tolerationSeconds === undefined || !admissionKeys.has(key ?? ''),
  )
  const path = workload === undefined ? '/spec/tolerations' : '/spec/template/spec/tolerations'
  const patch = escapeUnprintable(JSON.stringify([{ op: 'add', path, value: [...given, ...tolerations] }]))
  return { commands: [shellCommand('kubectl', 'patch', object, '-n', namespace, '--type=json', '-p', patch)] }
}

/** Removes or softens a rule of the pod, which needs a new pod. */
export function relaxRule({ field, value }: RelaxRuleFix, target: FixTarget): FixRecipe {
  const { pod, workload, file } = target
  const { name = '', namespace = 'default' } = pod.metadata
  const change = value === undefined ? `remove ${field}` : `set ${field} to ${value}`
  if (file !== undefined) return applyAgain(file, `${change} in the manifest`)
  const object = changeableObject(target)
  if (object === undefined || immutableKinds.has(workload?.kind ?? ''))
    return {
      commands: [],
      note: `${change} in the pod template of ${ownerText(workload)}`,
    }
  if (workload !== undefined) {
    return {
      commands: [shellCommand('kubectl', 'edit', object, '-n', namespace)],
      note: `${change} in the pod template`,
    }
  }
  return recreateByHand({ name, namespace }, change)
}
