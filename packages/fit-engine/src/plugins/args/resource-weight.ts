import { type ArgsSchema, objectSchema } from './args-schema.ts'

/** A resource with its share in a score. */
export interface ResourceWeight {
  readonly name: string
  /** 1 to 100; absent or 0 means 1. */
  readonly weight?: number
}

/** JSON Schema of a list of {@link ResourceWeight}. */
export const resourceWeightsSchema: ArgsSchema = {
  type: 'array',
  description: 'Resources that the score considers. Default: cpu and memory, each with weight 1.',
  items: objectSchema(
    {
      name: { type: 'string', minLength: 1, description: 'Name of the resource.' },
      weight: { type: 'integer', minimum: 0, maximum: 100, description: 'Share in the score. Default: 1.' },
    },
    { required: ['name'] },
  ),
}
