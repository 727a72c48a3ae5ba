import { createHash } from 'node:crypto'

const LC_SEGMENT_64 = 0x19
const LC_CODE_SIGNATURE = 0x1d
const MACH_O_64 = 0xfeedfacf
const SUPER_BLOB = 0xfade0cc0
const CODE_DIRECTORY = 0xfade0c02
const AD_HOC = 2
const SHA256 = 2
const HEADER_BYTES = 32

/** Content of a signature in a Mach-O file, and its problems. */
export interface CodeSignature {
  readonly identifier: string
  readonly isAdHoc: boolean
  readonly pages: number
  /** Empty for a signature that covers the file as it is. */
  readonly problems: readonly string[]
}

interface LoadCommands {
  readonly signature: { readonly offset: number; readonly bytes: number } | undefined
  /** End of the segment __LINKEDIT in the file. */
  readonly linkEditEnd: number
}

/**
 * Reads the signature of a 64-bit Mach-O file and compares its hashes with the file.
 *
 * @returns Undefined for a file that is not signed.
 * @throws Error for another kind of file.
 * @see Apple's cs_blobs.h, of xnu
 */
export function readCodeSignature(file: Buffer): CodeSignature | undefined {
  const { signature, linkEditEnd } = loadCommands(file)
  if (signature === undefined) return undefined
  const problems: string[] = []
  if (signature.offset % 16 !== 0) problems.push(`the signature begins at ${signature.offset}, not at a multiple of 16`)
  const end = signature.offset + signature.bytes
  if (end !== file.length) problems.push(`the signature ends at ${end}, and the file at ${file.length}`)
  if (linkEditEnd !== file.length) problems.push(`__LINKEDIT ends at ${linkEditEnd}, and the file at ${file.length}`)
  const directory = codeDirectory(file.subarray(signature.offset, end))
  if (directory === undefined)
    return { identifier: '', isAdHoc: false, pages: 0, problems: ['there is no code directory'] }
  const identifierStart = directory.readUInt32BE(20)
  const identifier = directory.toString('utf8', identifierStart, directory.indexOf(0, identifierStart))
  const pages = directory.readUInt32BE(28)
  const codeLimit = directory.readUInt32BE(32)
  if (codeLimit !== signature.offset) problems.push(`it covers ${codeLimit} of ${signature.offset} bytes`)
  problems.push(...pageProblems(file.subarray(0, codeLimit), directory))
  return { identifier, isAdHoc: (directory.readUInt32BE(12) & AD_HOC) !== 0, pages, problems }
}

function loadCommands(file: Buffer): LoadCommands {
  if (file.length < HEADER_BYTES || file.readUInt32LE(0) !== MACH_O_64)
    throw new Error('this is not a 64-bit Mach-O file')
  let signature: LoadCommands['signature']
  let linkEditEnd = 0
  let at = HEADER_BYTES
  for (let i = 0; i < file.readUInt32LE(16); i++) {
    const kind = file.readUInt32LE(at)
    if (kind === LC_CODE_SIGNATURE) signature = { offset: file.readUInt32LE(at + 8), bytes: file.readUInt32LE(at + 12) }
    const isLinkEdit = kind === LC_SEGMENT_64 && file.toString('latin1', at + 8, at + 18) === '__LINKEDIT'
    if (isLinkEdit) linkEditEnd = Number(file.readBigUInt64LE(at + 40) + file.readBigUInt64LE(at + 48))
    at += file.readUInt32LE(at + 4)
  }
  return { signature, linkEditEnd }
}

function codeDirectory(blob: Buffer): Buffer | undefined {
  if (blob.length < 12 || blob.readUInt32BE(0) !== SUPER_BLOB) return undefined
  for (let i = 0; i < blob.readUInt32BE(8); i++) {
    const offset = blob.readUInt32BE(12 + 8 * i + 4)
    if (blob.readUInt32BE(offset) === CODE_DIRECTORY)
      return blob.subarray(offset, offset + blob.readUInt32BE(offset + 4))
  }
  return undefined
}

function pageProblems(code: Buffer, directory: Buffer): readonly string[] {
  if (directory[37] !== SHA256) return ['its hashes are not SHA-256']
  const [hashStart, pages, hashBytes] = [directory.readUInt32BE(16), directory.readUInt32BE(28), directory[36] ?? 0]
  const pageBytes = 2 ** (directory[39] ?? 0)
  if (pages !== Math.ceil(code.length / pageBytes)) return [`it has hashes of ${pages} pages`]
  const wrong = Array.from({ length: pages }, (_, page) => page).filter((page) => {
    const hash = createHash('sha256').update(code.subarray(page * pageBytes, (page + 1) * pageBytes))
    const start = hashStart + page * hashBytes
    return !hash.digest().equals(directory.subarray(start, start + hashBytes))
  })
  return wrong.length === 0 ? [] : [`${wrong.length} of ${pages} pages differ from their hashes`]
}
