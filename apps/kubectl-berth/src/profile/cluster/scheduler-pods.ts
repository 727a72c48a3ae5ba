import { isTerminal } from '@berth/resources'
import type { Container, Pod } from '@berth/types'

/** Maximum number of pods whose configuration is read for the decision about one pod. */
const MAX_PODS = 8

/** The text that marks a pod as one that may run a scheduler. */
const MARK = /scheduler/i

/**
 * Returns the running pods that may run a scheduler, by the name, labels, image or command of the pod.
 *
 * @param maxPods - Further pods are left out.
 */
export function schedulerPods(pods: readonly Pod[], maxPods: number = MAX_PODS): readonly Pod[] {
  return pods.filter((pod) => !isTerminal(pod) && isMarked(pod)).slice(0, maxPods)
}

function isMarked({ metadata, spec }: Pod): boolean {
  const { labels = {}, name = '' } = metadata
  const component = labels['app.kubernetes.io/component'] ?? labels['component'] ?? ''
  const texts = spec.containers.flatMap(({ image = '', command = [] }) => [image, command[0] ?? ''])
  return [name, component, ...texts].some((text) => MARK.test(text))
}

/**
 * Returns the value of a flag in the command line of a container, given as `--name=value` or in two words; undefined
 * without the flag.
 */
export function flagOf({ command = [], args = [] }: Container, name: string): string | undefined {
  const words = [...command, ...args]
  const index = words.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`))
  const word = words[index]
  if (word === undefined) return undefined
  return word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[index + 1]
}

/** Returns the value of a flag of the first container that gives it one; undefined without the flag. */
export function podFlag({ spec }: Pick<Pod, 'spec'>, name: string): string | undefined {
  return spec.containers.map((container) => flagOf(container, name)).find(Boolean)
}
