import { describe, expect, test } from 'vitest'
import { billOfMaterials, type ReleaseContents } from './bill-of-materials.ts'

const contents: ReleaseContents = {
  version: '1.2.3',
  epochSeconds: 0,
  nodeVersion: '26.0.0',
  bundled: [
    { name: '@x/y', version: '2.0.0', licence: 'MIT', integrity: 'sha512-AAEC', folder: '' },
    { name: 'z', version: '3.0.0', licence: '(MIT OR ISC)', integrity: 'sha512-AAEC', folder: '' },
  ],
  base: {
    suite: 'trixie',
    packages: [{ name: 'libstdc++6', version: '14.2.0-19', sha256: { amd64: 'aa', arm64: 'bb' } }],
  },
}

describe('billOfMaterials', () => {
  const bill = billOfMaterials(contents)

  test('names every package by its purl, for each architecture', () => {
    expect(bill.components.map(({ purl }) => purl)).toEqual([
      'pkg:generic/node@26.0.0',
      'pkg:deb/debian/libstdc%2B%2B6@14.2.0-19?arch=amd64&distro=trixie',
      'pkg:deb/debian/libstdc%2B%2B6@14.2.0-19?arch=arm64&distro=trixie',
      'pkg:npm/%40x/y@2.0.0',
      'pkg:npm/z@3.0.0',
    ])
  })

  test('has licences as an identifier or an expression, and digests as hexadecimal digits', () => {
    expect(bill.components.slice(3)).toMatchObject([
      { licenses: [{ license: { id: 'MIT' } }], hashes: [{ alg: 'SHA-512', content: '000102' }] },
      { licenses: [{ expression: '(MIT OR ISC)' }] },
    ])
  })

  test('has a serial number that changes with the contents only', () => {
    expect(bill.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(billOfMaterials({ ...contents, epochSeconds: 9 }).serialNumber).toBe(bill.serialNumber)
    expect(billOfMaterials({ ...contents, nodeVersion: '26.0.1' }).serialNumber).not.toBe(bill.serialNumber)
  })
})
