import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readCodeSignature } from './code-signature.ts'

const PAGE_BYTES = 4096

/** A Mach-O file of two pages and a bit, with one segment and an ad hoc signature. */
function signedFile(): Buffer {
  const code = Buffer.alloc(2 * PAGE_BYTES + 64, 7)
  const identifier = Buffer.from('kubectl-berth\0')
  const pages = 3
  const hashStart = 88 + identifier.length
  const directory = Buffer.alloc(hashStart + 32 * pages)
  const superBlob = Buffer.alloc(20)
  const signatureBytes = superBlob.length + directory.length

  code.fill(0, 0, 32 + 72 + 16)
  code.writeUInt32LE(0xfeedfacf, 0)
  code.writeUInt32LE(2, 16)
  code.writeUInt32LE(0x19, 32)
  code.writeUInt32LE(72, 36)
  code.write('__LINKEDIT', 40)
  code.writeBigUInt64LE(BigInt(PAGE_BYTES), 72)
  code.writeBigUInt64LE(BigInt(code.length + signatureBytes - PAGE_BYTES), 80)
  code.writeUInt32LE(0x1d, 104)
  code.writeUInt32LE(16, 108)
  code.writeUInt32LE(code.length, 112)
  code.writeUInt32LE(signatureBytes, 116)

  superBlob.writeUInt32BE(0xfade0cc0, 0)
  superBlob.writeUInt32BE(signatureBytes, 4)
  superBlob.writeUInt32BE(1, 8)
  superBlob.writeUInt32BE(superBlob.length, 16)

  const fields = [0xfade0c02, directory.length, 0x20400, 2, hashStart, 88, 0, pages, code.length]
  for (const [i, value] of fields.entries()) directory.writeUInt32BE(value, 4 * i)
  directory.set([32, 2, 0, 12], 36)
  directory.set(identifier, 88)
  for (let page = 0; page < pages; page++) {
    const bytes = code.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)
    directory.set(createHash('sha256').update(bytes).digest(), hashStart + 32 * page)
  }
  return Buffer.concat([code, superBlob, directory])
}

/** The file with one change. */
function changed(change: (file: Buffer) => void): Buffer {
  const file = signedFile()
  change(file)
  return file
}

describe('readCodeSignature', () => {
  test('reads an ad hoc signature that covers the file', () => {
    expect(readCodeSignature(signedFile())).toEqual({
      identifier: 'kubectl-berth',
      isAdHoc: true,
      pages: 3,
      problems: [],
    })
  })

  test('returns undefined for a file without a signature', () => {
    expect(readCodeSignature(changed((file) => file.writeUInt32LE(0x1b, 104)))).toBeUndefined()
  })

  test.for([
    { it: 'a changed byte', change: (file: Buffer) => file.writeUInt8(8, 5000), says: '1 of 3 pages differ' },
    {
      it: 'a signature that ends before the file',
      change: (file: Buffer) => file.writeUInt32LE(file.readUInt32LE(116) - 1, 116),
      says: 'the signature ends at',
    },
    {
      it: 'a __LINKEDIT that does not contain the signature',
      change: (file: Buffer) => file.writeBigUInt64LE(8n, 80),
      says: '__LINKEDIT ends at 4104',
    },
    { it: 'another hash function', change: (file: Buffer) => file.writeUInt8(1, 8256 + 20 + 37), says: 'not SHA-256' },
    { it: 'another blob', change: (file: Buffer) => file.writeUInt8(0, 8256), says: 'no code directory' },
  ])('reports $it', ({ change, says }) => {
    expect(readCodeSignature(changed(change))?.problems.join('; ')).toContain(says)
  })

  test('refuses a file of another kind', () => {
    expect(() => readCodeSignature(Buffer.from('\u007fELF'))).toThrow('not a 64-bit Mach-O file')
  })
})
