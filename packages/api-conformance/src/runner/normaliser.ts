import type { Json } from './conformance-case.ts'

const TIME = /\b(?!2020-)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g
const UID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g
const SERVICE_ADDRESS = /\b10\.96\.\d+\.\d+\b/g
const REVISION_IN_TEXT = /(resource version: |current: |ResourceVersion in object meta: |\()\d+/gi
// Texts whose content is not compared: the differences between two Go structs, a whole object as JSON.
const STRUCT_DIFFERENCE = /\n@@ [^]*/
const OBJECT_IN_TEXT = /(Invalid value: )"\{\\"apiVersion\\".*\}"/
const TOKEN_VOLUME = /\bkube-api-access-[a-z0-9]{5}\b/g
const CONTINUE_IN_PATH = /continue=[\w-]{12,}/
const VERSION_IN_PATH = /resourceVersion=\d{2,11}(?!\d)/
const AGE = /^(?:\d+[smhdy])+$/

/** Replaces values that differ between runs by placeholders. Equal values get equal placeholders. */
export interface Normaliser {
  /** Replaces the text by a placeholder from now on. */
  readonly replaceName: (text: string, placeholder: string) => void
  readonly text: (text: string) => string
  readonly json: (value: Json) => Json
}

/** Creates a normaliser for one case. The first uid becomes `$uid1`, the first resourceVersion of an object `$version1`. */
export function createNormaliser(): Normaliser {
  const uids = new Map<string, string>()
  const versions = new Map<string, string>()
  const names: (readonly [text: string, placeholder: string])[] = []
  const placeholderOf = (known: Map<string, string>, value: string, placeholder: string): string => {
    const found = known.get(value) ?? `${placeholder}${known.size + 1}`
    known.set(value, found)
    return found
  }

  function text(value: string): string {
    let shown = value
    for (const [known, placeholder] of names) shown = shown.replaceAll(known, placeholder)
    return shown
      .replaceAll(TIME, '$time')
      .replaceAll(UID, (uid) => placeholderOf(uids, uid, '$uid'))
      .replaceAll(SERVICE_ADDRESS, '$address')
      .replaceAll(REVISION_IN_TEXT, '$1$$revision')
      .replace(STRUCT_DIFFERENCE, '')
      .replace(OBJECT_IN_TEXT, '$1$$object')
      .replaceAll(TOKEN_VOLUME, 'kube-api-access-$$generated')
      .replace(CONTINUE_IN_PATH, 'continue=$$continue')
      .replace(VERSION_IN_PATH, 'resourceVersion=$$revision')
  }

  function object(value: Readonly<Record<string, Json>>): Json {
    const { generateName, name } = value
    if (typeof generateName === 'string' && typeof name === 'string' && name.startsWith(generateName)) {
      const generated = name.slice(generateName.length)
      if (/^[a-z0-9]{5}$/.test(generated)) names.push([name, `${text(generateName)}$generated`])
    }
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [text(key), field(key, each, value)]))
  }

  function field(key: string, value: Json, holder: Readonly<Record<string, Json>>): Json {
    if (typeof value !== 'string' || value === '') return json(value)
    if (key === 'continue') return '$continue'
    if (key !== 'resourceVersion') return text(value)
    return holder['uid'] === undefined ? '$revision' : placeholderOf(versions, value, '$version')
  }

  function json(value: Json): Json {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(json)
    if (value === null || typeof value !== 'object') return value
    const plain = object(value)
    if (Array.isArray(plain.cells)) plain.cells = plain.cells.map(withoutAge)
    // Upstream repeats a cause as often as it validates.
    if (Array.isArray(plain.causes)) {
      plain.causes = [...new Map(plain.causes.map((cause: Json) => [JSON.stringify(cause), cause])).values()]
    }
    // Descriptions of columns differ between servers.
    if (Array.isArray(plain.columnDefinitions)) {
      plain.columnDefinitions = plain.columnDefinitions.map(withoutDescription)
    }
    return plain
  }

  return { replaceName: (known, placeholder) => names.unshift([known, placeholder]), text, json }
}

function withoutAge(cell: Json): Json {
  return typeof cell === 'string' && AGE.test(cell) ? '$age' : cell
}

function withoutDescription(definition: Json): Json {
  const { description: _, ...column } = definition
  return column
}
