import { isPrefixedNativeResourceName, qualifiedNameProblem, validateExtendedResourceName } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isAttachableVolumeResourceName,
  isExtendedResourceName,
  isHugePageResourceName,
  isNativeResourceName,
  isScalarResourceName,
} from '../index.ts'

const part = fc.stringMatching(/^[-A-Za-z0-9_.]{0,70}$/)
const domain = fc.constantFrom(
  'example.com',
  'a.b',
  'kubernetes.io',
  'x.kubernetes.io',
  'requests.example.com',
  '',
  'A',
)
const name = fc.oneof(
  fc.tuple(domain, part).map(([before, after]) => `${before}/${after}`),
  part,
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.constantFrom('__proto__', 'constructor', 'cpu', 'hugepages-2Mi', 'attachable-volumes-x', '/', 'a/b/c'),
  fc.tuple(fc.integer({ min: 240, max: 300 }), part).map(([length, after]) => `${'a'.repeat(length)}/${after}`),
)

/** `IsExtendedResourceName` of Kubernetes v1.36, character by character. */
function isExtendedNaively(text: string): boolean {
  if (!text.includes('/') || text.includes('kubernetes.io/') || text.startsWith('requests.')) return false
  const [before = '', after = '', ...more] = `requests.${text}`.split('/')
  if (more.length > 0 || before.length > 253 || after.length < 1 || after.length > 63) return false
  const isOneOf = (letter: string, letters: string): boolean => letters.includes(letter) && letter !== ''
  const small = 'abcdefghijklmnopqrstuvwxyz0123456789'
  const all = `${small}ABCDEFGHIJKLMNOPQRSTUVWXYZ`
  const isWord = (word: string, ends: string, inside: string): boolean =>
    isOneOf(word.slice(0, 1), ends) &&
    isOneOf(word.slice(-1), ends) &&
    word.split('').every((letter) => isOneOf(letter, inside))
  return isWord(after, all, `${all}-_.`) && before.split('.').every((label) => isWord(label, small, `${small}-`))
}

test('an extended resource name is valid exactly when every rule holds', () => {
  fc.assert(
    fc.property(name, (text) => {
      expect(isExtendedResourceName(text)).toBe(isExtendedNaively(text))
      expect(validateExtendedResourceName(text) === undefined).toBe(isExtendedNaively(text))
    }),
    { numRuns: 2000 },
  )
})

test('every text has a class, and the classes are consistent', () => {
  fc.assert(
    fc.property(name, (text) => {
      const isExtended = isExtendedResourceName(text)
      expect(isExtended && isNativeResourceName(text)).toBe(false)
      expect(isPrefixedNativeResourceName(text) && !isNativeResourceName(text)).toBe(false)
      const isScalar =
        isExtended ||
        isHugePageResourceName(text) ||
        isPrefixedNativeResourceName(text) ||
        isAttachableVolumeResourceName(text)
      expect(isScalarResourceName(text)).toBe(isScalar)
    }),
    { numRuns: 2000 },
  )
})

test('a long name is refused quickly', () => {
  const long = `${'a-'.repeat(1 << 19)}/x`
  expect([isExtendedResourceName(long), typeof qualifiedNameProblem(long)]).toEqual([false, 'string'])
  expect(typeof validateExtendedResourceName(`example.com/${'.'.repeat(1 << 20)}`)).toBe('string')
})
