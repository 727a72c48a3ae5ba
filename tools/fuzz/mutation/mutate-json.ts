import type { Choices } from './choices.ts'
import { SPECIAL_NAMES, SPECIAL_VALUES } from './special-values.ts'

type Container = Record<string, unknown> | unknown[]

/** A value inside a container. */
interface Place {
  readonly container: Container
  readonly key: string
}

const MAX_PLACES = 2_000
const NESTING = 5_000

/**
 * Changes the structure of a JSON text: values, keys and nesting. Changed bytes alone rarely keep a text valid.
 *
 * @param words - Texts that the reader may expect as keys or values.
 * @param donor - A JSON text from which values may be taken.
 * @returns Undefined if the input is not JSON or has no values inside.
 */
export function mutateJson(
  input: Uint8Array,
  choices: Choices,
  { words, donor }: { readonly words: readonly string[]; readonly donor: Uint8Array },
): Uint8Array | undefined {
  const root = parse(input)
  const { pick, chance, below } = choices
  const { container, key } = pick(placesOf(root)) ?? {}
  if (container === undefined || key === undefined) return undefined
  const value = (container as Record<string, unknown>)[key]
  const set = (name: string, next: unknown): void => define(container, name, next)
  const name = (): string => (chance(0.5) ? pick(words) : undefined) ?? pick(SPECIAL_NAMES) ?? 'key'
  const changes: readonly (() => void)[] = [
    () => set(key, pick(SPECIAL_VALUES)),
    () => set(key, pick(words) ?? ''),
    () => void Reflect.deleteProperty(container, key),
    () => set(Array.isArray(container) ? String(container.length) : name(), value),
    () => set(name(), pick(SPECIAL_VALUES)),
    () => set(key, donated(donor, choices) ?? value),
    () => set(key, [value]),
    () => set(key, { [name()]: value }),
    () => set(key, changedScalar(value, choices, pick(words) ?? '')),
    () =>
      set(
        key,
        Array.from({ length: below(40) }, () => value),
      ),
  ]
  pick(changes)?.()
  const text = JSON.stringify(root)
  if (!chance(0.005)) return Buffer.from(text)
  const depth = below(NESTING)
  return Buffer.from(text.replace(/null|\d+/, `${'['.repeat(depth)}${']'.repeat(depth)}`))
}

function changedScalar(value: unknown, { chance }: Choices, word: string): unknown {
  if (typeof value === 'number') return value * (chance(0.5) ? -1 : 1_000)
  return typeof value === 'string' ? `${value}${word}` : word
}

function parse(input: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(input).toString()) as unknown
  } catch {
    return undefined
  }
}

/** Assigns as JSON does: `__proto__` is an ordinary key. */
function define(container: Container, key: string, value: unknown): void {
  if (Array.isArray(container) && !/^\d+$/.test(key)) return
  Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true })
}

function placesOf(root: unknown): readonly Place[] {
  const places: Place[] = []
  const open: unknown[] = [root]
  for (let value = open.pop(); value !== undefined && places.length < MAX_PLACES; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue
    const container = value as Container
    for (const [key, child] of Object.entries(container)) {
      places.push({ container, key })
      open.push(child)
    }
  }
  return places
}

function donated(donor: Uint8Array, { pick }: Choices): unknown {
  const place = pick(placesOf(parse(donor)))
  return place && (place.container as Record<string, unknown>)[place.key]
}
