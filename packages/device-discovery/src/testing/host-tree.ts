import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { NodeStats } from '../sysfs/inspect-node.ts'

/** A directory with the /sys and /dev of a fixture. Disposing it deletes the directory. */
export interface HostTree extends Disposable {
  /** The directory, for the argument `hostRoot`. */
  readonly root: string
  /** Adds or replaces lines of a fixture. */
  add(lines: string): void
  /** Removes a path and everything below it. */
  remove(path: string): void
}

/**
 * Writes a fixture below a directory. Each line is `PATH = TEXT` for a file (`\n` is a line feed), `PATH -> TARGET` for a
 * link, or `PATH` for an empty file that stands for a device node (`PATH = c 188:0` where {@link statOfTree} is used). Empty lines and lines that start with # are ignored.
 */
export function writeHostTree(root: string, lines: string): void {
  for (const line of lines.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [, path = '', kind, value = ''] = /^(\/\S*)(?: (=|->) ?(.*))?$/.exec(line) ?? []
    if (path === '') throw new Error(`invalid line in a tree: ${line}`)
    const place = join(root, path)
    mkdirSync(dirname(place), { recursive: true })
    if (kind === '->') {
      rmSync(place, { force: true })
      symlinkSync(value, place)
    } else writeFileSync(place, kind === undefined ? '' : `${value.replaceAll(String.raw`\n`, '\n')}\n`)
  }
}

/** Reads a fixture, which must say in its first line where it comes from. */
function readFixture(file: string): string {
  const text = readFileSync(file, 'utf8')
  if (!/^# (?:recorded|constructed): \S/.test(text)) {
    throw new Error(`${file} must begin with "# recorded: WHERE" or "# constructed: FROM WHICH KERNEL ABI"`)
  }
  return text
}

/** Writes a fixture into a new directory, for a test that changes it. */
export function hostTree(file: string): HostTree {
  const root = mkdtempSync(join(tmpdir(), 'berth-host-'))
  writeHostTree(root, readFixture(file))
  return {
    root,
    add: (lines) => writeHostTree(root, lines),
    remove: (path) => rmSync(join(root, path), { recursive: true, force: true }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

/**
 * Returns a directory with the fixture. All tests share it, so do not change it; {@link hostTree} makes a private one.
 */
export function unpackedTree(file: string): string {
  const text = readFixture(file)
  const root = join(tmpdir(), `berth-tree-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`)
  if (existsSync(root)) return root
  const own = mkdtempSync(`${root}-`)
  writeHostTree(own, text)
  try {
    renameSync(own, root)
  } catch {
    // Another process was faster.
    rmSync(own, { recursive: true, force: true })
  }
  return root
}

/** Replaces `stat` for `inspectNode`: a file with the text `c 188:0` or `b 8:1` is a device node with that number. */
export async function statOfTree(path: string): Promise<NodeStats> {
  const [, kind, major = 0, minor = 0] = /^([cb]) (\d+):(\d+)$/m.exec(await readFile(path, 'utf8')) ?? []
  return {
    rdev: Number(major) * 256 + Number(minor),
    isCharacterDevice: () => kind === 'c',
    isBlockDevice: () => kind === 'b',
  }
}
