import { open } from 'node:fs/promises'
import { errorText } from '@berth/text/error-text'
import { listNames } from '@berth/text/list-names'
import { isRecord, type KubernetesObject } from '@berth/types'
import type { Terminal } from '../cli/terminal.ts'
import { CommandError } from '../errors.ts'

/** Number of unreadable items to name. */
const MAX_NAMED = 5
const HOW_TO_WRITE = 'Write one: kubectl berth simulate --from-cluster KUBECONFIG --record FILE'

/**
 * Reads the objects of a List, as `simulate --record` writes it and `kubectl get -o json` and `-o yaml` print it. Leaves
 * out items that are not objects with a type and a name, and prints which.
 *
 * @throws CommandError BERTH_KUBECTL_FILE for a file that cannot be read or is not a list of objects.
 */
export async function readObjectList(
  terminal: Pick<Terminal, 'readFile' | 'note'>,
  file: string,
): Promise<readonly KubernetesObject[]> {
  const refuse = (reason: string, cause?: unknown): CommandError =>
    new CommandError(`read the snapshot ${file}: ${reason}`, {
      code: 'BERTH_KUBECTL_FILE',
      ...(cause !== undefined && { cause }),
      hint: HOW_TO_WRITE,
    })
  let content: unknown
  try {
    content = await parseObject(await terminal.readFile(file))
  } catch (error) {
    throw refuse(errorText(error), error)
  }
  const { items } = (content ?? {}) as { readonly items?: unknown }
  if (!Array.isArray(items)) throw refuse('it has no items')
  const bad = items.flatMap((item: unknown, i) => (isNamedObject(item) ? [] : [`items[${i}]`]))
  if (bad.length > 0)
    terminal.note(`Left out, because it is not an object with a type and a name: ${listNames(bad, MAX_NAMED)}\n`)
  return items.filter(isNamedObject)
}

/** Whether the item has what every object of an API server has, in the right types. */
export function isNamedObject(item: unknown): item is KubernetesObject {
  if (!isRecord(item) || typeof item['apiVersion'] !== 'string' || typeof item['kind'] !== 'string') return false
  const { metadata } = item
  if (!isRecord(metadata)) return false
  const { name, namespace = '', uid = '', labels = {}, annotations = {}, ownerReferences = [] } = metadata
  return (
    typeof name === 'string' &&
    // The name is a part of URLs and paths.
    /^(?!\.{1,2}$)[^/%]+$/.test(name) &&
    typeof namespace === 'string' &&
    /^[-a-z0-9]*$/.test(namespace) &&
    typeof uid === 'string' &&
    isRecord(labels) &&
    isRecord(annotations) &&
    Array.isArray(ownerReferences) &&
    ownerReferences.every(isRecord)
  )
}

/**
 * Writes objects as a List, one on each line, into a file that only its owner may read.
 *
 * @throws CommandError BERTH_KUBECTL_FILE when the file cannot be written.
 */
export async function writeObjectList(file: string, objects: readonly KubernetesObject[]): Promise<void> {
  try {
    await using handle = await open(file, 'w', 0o600)
    // `open` sets the mode of a file that it creates. A file that exists keeps its own, which others may read.
    await handle.chmod(0o600)
    await handle.writeFile(listText(objects))
  } catch (cause) {
    throw new CommandError(`write the snapshot ${file}: ${errorText(cause)}`, {
      code: 'BERTH_KUBECTL_FILE',
      cause,
      hint: 'Choose a file in an existing, writable directory.',
    })
  }
}

// Parts, because one string could not hold a large cluster.
function* listText(objects: readonly KubernetesObject[]): Generator<string> {
  yield '{"apiVersion":"v1","kind":"List","metadata":{},"items":[\n'
  for (const [i, object] of objects.entries()) yield `${JSON.stringify(object)}${i === objects.length - 1 ? '' : ','}\n`
  yield ']}\n'
}

/** Large files are JSON, and the YAML parser would take minutes for them, also to find where one is cut off. */
async function parseObject(text: string): Promise<unknown> {
  // YAML may begin with a brace, too, but hardly with a quoted key after it.
  if (/^\s*\{\s*"/.test(text)) return JSON.parse(text)
  const { parse } = await import('yaml')
  return parse(text, { maxAliasCount: 100 })
}
