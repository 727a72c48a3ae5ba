import { open } from 'node:fs/promises'
import { errorText } from '@berth/text/error-text'
import { listNames } from '@berth/text/list-names'
import { isRecord, type KubernetesObject } from '@berth/types'
import type { Terminal } from '../cli/terminal.ts'
import { CommandError } from '../errors.ts'

/** Number of unreadable items to name. */
const MAX_NAMED = 5
const HOW_TO_WRITE = 'Write one: kubectl berth simulate --from-cluster KUBECONFIG --record FILE'
/** A larger file is parsed item by item: a string cannot hold more than 512 MiB. YAML would take minutes. */
const MAX_WHOLE_MIB = 128
const MAX_WHOLE_BYTES = MAX_WHOLE_MIB * 2 ** 20
/** Bytes that show the format of a file. */
const HEAD_BYTES = 1_024

/**
 * Reads the objects of a List, as `simulate --record` writes it and `kubectl get -o json` and `-o yaml` print it. Leaves
 * out items that are not objects with a type and a name, and prints which.
 *
 * @throws CommandError BERTH_KUBECTL_FILE for a file that cannot be read or is not a list of objects.
 */
export async function readObjectList(
  terminal: Pick<Terminal, 'readChunks' | 'note'>,
  file: string,
): Promise<readonly KubernetesObject[]> {
  const refuse = (reason: string, cause?: unknown): CommandError =>
    new CommandError(`read the snapshot ${file}: ${reason}`, {
      code: 'BERTH_KUBECTL_FILE',
      ...(cause !== undefined && { cause }),
      hint: HOW_TO_WRITE,
    })
  let items: readonly unknown[] | undefined
  try {
    items = await parseItems(terminal.readChunks(file))
  } catch (error) {
    throw refuse(errorText(error), error)
  }
  if (items === undefined) throw refuse('it has no items')
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
    // The mode above counts only for a new file.
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

async function parseItems(chunks: AsyncIterable<Uint8Array>): Promise<readonly unknown[] | undefined> {
  const parts: Uint8Array[] = []
  let bytes = 0
  let parser: ItemParser | undefined
  for await (const chunk of chunks) {
    if (parser !== undefined) parser.push(chunk)
    else {
      parts.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_WHOLE_BYTES) parser = await parserOf(parts)
    }
  }
  return itemsOf(parser === undefined ? await parseWhole(Buffer.concat(parts).toString('utf8')) : parser.list())
}

/** Large files are JSON, and the YAML parser would take minutes for them, also to find where one is cut off. */
async function parseWhole(text: string): Promise<unknown> {
  if (isJson(text)) return JSON.parse(text)
  const { parse } = await import('yaml')
  return parse(text, { maxAliasCount: 100 })
}

/** YAML may begin with a brace, too, but hardly with a quoted key after it. */
function isJson(text: string): boolean {
  return /^\s*\{\s*"/.test(text)
}

function itemsOf(content: unknown): readonly unknown[] | undefined {
  return isRecord(content) && Array.isArray(content['items']) ? content['items'] : undefined
}

/** Parses the items of a list while it is read. */
interface ItemParser {
  push(chunk: Uint8Array): void
  /** @throws Error for a list that ended early */
  list(): unknown
}

/** @param read - The beginning of the file. */
async function parserOf(read: readonly Uint8Array[]): Promise<ItemParser> {
  const head = Buffer.concat(read.slice(0, 1)).subarray(0, HEAD_BYTES).toString('latin1')
  if (!isJson(head))
    throw new Error(`it is YAML of more than ${MAX_WHOLE_MIB} MiB; write it as JSON, which may be larger`)
  const { createListSplitter } = await import('@berth/k8s-client')
  const splitter = createListSplitter()
  const items: unknown[] = []
  const push = (chunk: Uint8Array): void => {
    for (const item of splitter.push(chunk)) items.push(JSON.parse(item))
  }
  for (const chunk of read) push(chunk)
  return {
    push,
    list() {
      const rest: unknown = JSON.parse(splitter.envelope())
      return itemsOf(rest) === undefined ? undefined : { items }
    },
  }
}
