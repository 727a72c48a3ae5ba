import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Folder in the checkout with texts of packages that contain no licence file, taken from their sources. */
const TEXTS = 'licences'
const isNotice = (name: string): boolean => /^(?:licen[cs]e|copying|notice|unlicense)/i.test(name)

/**
 * Returns the licence and the notices of each package from npm of these files, with its name and version.
 *
 * @param files - Paths, relative to the working directory or absolute.
 * @throws Error for a package without a licence file that has no text in `licences` either.
 */
export function noticesOf(files: readonly string[]): string {
  const notices = packageFolders(files).map(noticeOf)
  return notices.toSorted((a, b) => (a < b ? -1 : 1)).join(`\n${'-'.repeat(80)}\n\n`)
}

/** Returns the folders of the packages from npm that these files belong to. */
export function packageFolders(files: readonly string[]): readonly string[] {
  return [
    ...new Set(files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(resolve(file)) ?? [])),
  ].filter((folder) => existsSync(join(folder, 'package.json')))
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly version: string
    readonly license?: string
  }
  const own = readdirSync(folder).filter(isNotice).toSorted()
  // pnpm keeps every package below the root of the checkout.
  const [root = ''] = realpathSync(folder).split('/node_modules/')
  const given = join(root, TEXTS, `${name.replace('/', '-')}.txt`)
  const paths = own.length > 0 ? own.map((file) => join(folder, file)) : [given]
  if (own.length === 0 && !existsSync(given))
    throw new Error(`the package ${name} has no licence file: add its text as ${given}`)
  const found = paths.map((path) => readFileSync(path, 'utf8').replaceAll('\r\n', '\n').trim())
  return `${name}@${version} (${license ?? 'see below'})\n\n${found.join('\n\n')}\n`
}
