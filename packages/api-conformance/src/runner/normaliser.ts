import type { Json } from './conformance-case.ts'

const TIME = /\b(?!2020-)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g
const UID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g
const SERVICE_ADDRESS = /\b10\.96\.\d+\.\d+\b/g
const REVISION_IN_TEXT = /(resource version: |current: |ResourceVersion in object meta: |\()\d+/gi
// Of the texts below, only that they are there matters: the differences between two Go structs, a whole object as JSON.
const STRUCT_DIFFERENCE = /\n@@ [^]*/
const OBJECT_IN_TEXT = /(Invalid value: )"\{\\"apiVersion\\".*\}"/
const TOKEN_VOLUME = /\bkube-api-access-[a-z0-9]{5}\b/g
const CONTINUE_IN_PATH = /continue=[\w-]{12,}/
const VERSION_IN_PATH = /resourceVersion=\d{2,11}(?!\d)/
const AGE = /^(?:\d+[smhdy])+$/

/** Replaces what differs from run to run by signs that still say what is equal to what. */
export interface Normaliser {
  /** From here on the text reads as the sign, wherever it stands. */
  readonly name: (text: string, sign: string) => void
  readonly text: (text: string) => string
  readonly json: (value: Json) => Json
}

/** A normaliser for one exchange: the first uid it sees is `$uid1`, the first version of an object `$version1`. */
export function createNormaliser(): Normaliser {
  const uids = new Map<string, string>()
  const versions = new Map<string, string>()
  const names: (readonly [text: string, sign: string])[] = []
  const signOf = (known: Map<string, string>, value: string, sign: string): string => {
    const found = known.get(value) ?? `${sign}${known.size + 1}`
    known.set(value, found)
    return found
  }

  function text(value: string): string {
    let shown = value
    for (const [known, sign] of names) shown = shown.replaceAll(known, sign)
    return shown
      .replaceAll(TIME, '$time')
      .replaceAll(UID, (uid) => signOf(uids, uid, '$uid'))
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
    return holder['uid'] === undefined ? '$revision' : signOf(versions, value, '$version')
  }

  function json(value: Json): Json {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(json)
    if (value === null || typeof value !== 'object') return value
    const plain = object(value)
    if (Array.isArray(plain.cells)) plain.cells = plain.cells.map(withoutAge)
    // A cause is repeated as often as upstream validates.
    if (Array.isArray(plain.causes)) {
      plain.causes = [...new Map(plain.causes.map((cause: Json) => [JSON.stringify(cause), cause])).values()]
    }
    // Columns are described in every server's own words.
    if (Array.isArray(plain.columnDefinitions)) {
      plain.columnDefinitions = plain.columnDefinitions.map(withoutDescription)
    }
    return plain
  }

  return { name: (known, sign) => names.unshift([known, sign]), text, json }
}

function withoutAge(cell: Json): Json {
  return typeof cell === 'string' && AGE.test(cell) ? '$age' : cell
}

function withoutDescription(definition: Json): Json {
  const { description: _, ...column } = definition
  return column
}
