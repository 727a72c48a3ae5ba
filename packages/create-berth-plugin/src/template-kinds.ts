/** A kind of package that `npm run new` creates. */
export interface TemplateKind {
  /** The argument that selects the kind. */
  readonly kind: string
  /** One line for the help text. */
  readonly summary: string
  /** The example package that is copied, relative to the root. */
  readonly example: string
  /** The plugin's name inside the example. Every occurrence is replaced by the new name. */
  readonly exampleName: string
  /** The description in the example's package.json, which the new package replaces. */
  readonly describes: string
}

/** Kinds of plugin packages. The templates are the examples, which are built and tested with everything else. */
export const templateKinds: readonly TemplateKind[] = [
  {
    kind: 'scheduling-plugin',
    summary: 'a placement rule for the scheduler and the extender',
    example: 'examples/plugins/scheduling',
    exampleName: 'example-rack',
    describes: 'A scheduling plugin',
  },
  {
    kind: 'device-source',
    summary: 'devices that the device plugin offers to containers',
    example: 'examples/plugins/device-source',
    exampleName: 'example-seat-file',
    describes: 'A device source',
  },
  {
    kind: 'resource-source',
    summary: 'the number of units that the advertiser puts on a node',
    example: 'examples/plugins/resource-source',
    exampleName: 'example-annotation',
    describes: 'A resource source',
  },
]
