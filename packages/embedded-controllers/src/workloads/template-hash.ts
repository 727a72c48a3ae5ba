import { byCodeUnit, isObject, objectAt } from '@berth/embedded-api-server'

const DIGITS = 'bcdfghjklmnpqrstvwxz2456789'

/** Returns a short hash of a pod template that does not depend on the order of its keys. */
export function templateHash(template: unknown): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of Buffer.from(canonical(template))) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  }
  let text = ''
  for (let rest = hash; text.length < 10; rest /= 27n) text += DIGITS[Number(rest % 27n)]
  return text
}

/** Returns a pod template without what controllers add to it: the label with its hash, and an empty creation time. */
export function withoutHash(template: unknown): unknown {
  const { creationTimestamp: _time, ...metadata } = objectAt(template, 'metadata')
  const { 'pod-template-hash': _hash, ...labels } = objectAt(metadata, 'labels')
  return { ...objectAt(template), metadata: { ...metadata, labels } }
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const pairs = Object.keys(value)
    .sort(byCodeUnit)
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
  return `{${pairs.join(',')}}`
}
