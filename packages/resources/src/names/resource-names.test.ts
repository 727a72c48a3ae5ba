import { extendedResourceNameKeywords, isPrefixedNativeResourceName } from '@berth/types'
import { describe, expect, test } from 'vitest'
import {
  isAttachableVolumeResourceName,
  isExtendedResourceName,
  isHugePageResourceName,
  isNativeResourceName,
  isOvercommitAllowed,
  isPodLevelResourceName,
  isScalarResourceName,
} from './resource-names.ts'

describe('name classes', () => {
  test.for([
    { name: 'cpu', native: true, extended: false, scalar: false },
    { name: 'storage', native: true, extended: false, scalar: false },
    { name: 'pods', native: true, extended: false, scalar: false },
    { name: 'hugepages-2Mi', native: true, extended: false, scalar: true },
    { name: 'attachable-volumes-csi-x', native: true, extended: false, scalar: true },
    { name: 'example.com/dongle', native: false, extended: true, scalar: true },
    { name: 'example.com/Dongle_1.x', native: false, extended: true, scalar: true },
    { name: 'kubernetes.io/x', native: true, extended: false, scalar: true },
    { name: 'mykubernetes.io/x', native: true, extended: false, scalar: true },
    { name: 'deviceclass.resource.kubernetes.io/gpu', native: true, extended: false, scalar: true },
    { name: 'requests.example.com/x', native: false, extended: false, scalar: false },
    { name: 'Example.com/x', native: false, extended: false, scalar: false },
    { name: `example.com/${'x'.repeat(63)}`, native: false, extended: true, scalar: true },
    { name: `example.com/${'x'.repeat(64)}`, native: false, extended: false, scalar: false },
    { name: '__proto__', native: true, extended: false, scalar: false },
    { name: 'example.com/__proto__', native: false, extended: false, scalar: false },
  ])('$name', ({ name, native, extended, scalar }) => {
    expect([isNativeResourceName(name), isExtendedResourceName(name), isScalarResourceName(name)]).toEqual([
      native,
      extended,
      scalar,
    ])
    const { pattern, not } = extendedResourceNameKeywords
    expect(new RegExp(pattern).test(name) && !new RegExp(not.pattern).test(name)).toBe(extended)
  })

  test('prefixes', () => {
    expect([isHugePageResourceName('hugepages-'), isHugePageResourceName('xhugepages-1Gi')]).toEqual([true, false])
    expect([isAttachableVolumeResourceName('attachable-volumes-x'), isAttachableVolumeResourceName('x')]).toEqual([
      true,
      false,
    ])
    expect([isPrefixedNativeResourceName('a.kubernetes.io/b'), isPrefixedNativeResourceName('a.io/b')]).toEqual([
      true,
      false,
    ])
  })

  test('overcommit and pod level', () => {
    expect(['cpu', 'hugepages-1Gi', 'a.b/c'].map(isOvercommitAllowed)).toEqual([true, false, false])
    expect(['cpu', 'memory', 'hugepages-1Gi', 'ephemeral-storage', 'a.b/c'].map(isPodLevelResourceName)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })
})
