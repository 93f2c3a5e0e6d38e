// WebGL2 without ceremony.

export type GL = WebGL2RenderingContext;

export class Program {
  private readonly program: WebGLProgram;
  private readonly places = new Map<string, WebGLUniformLocation | null>();

  constructor(private readonly gl: GL, vertex: string, fragment: string) {
    this.program = gl.createProgram()!;
    const head = '#version 300 es\nprecision highp float;\nprecision highp int;\n';
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
      const shader = gl.createShader(type)!;
      gl.shaderSource(shader, head + source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost())
        throw new Error(gl.getShaderInfoLog(shader) ?? 'shader');
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error(gl.getProgramInfoLog(this.program) ?? 'program');
  }

  /** Values of 1, 2, 3, 4 or 9 numbers; a number alone is a texture unit. */
  use(values: Record<string, number[] | number>): void {
    const gl = this.gl;
    gl.useProgram(this.program);
    for (const [name, value] of Object.entries(values)) {
      if (!this.places.has(name)) this.places.set(name, gl.getUniformLocation(this.program, name));
      const place = this.places.get(name)!;
      if (place === null) continue;
      if (typeof value === 'number') gl.uniform1i(place, value);
      else if (value.length === 1) gl.uniform1fv(place, value);
      else if (value.length === 2) gl.uniform2fv(place, value);
      else if (value.length === 3) gl.uniform3fv(place, value);
      else if (value.length === 4) gl.uniform4fv(place, value);
      else gl.uniformMatrix3fv(place, false, value);
    }
  }

  /** Pairs of int16 as [−1, 1]², `stride` bytes apart; divisor 1: one a segment. */
  pairs(name: string, buffer: WebGLBuffer, offset: number, stride = 4, divisor = 0): void {
    const gl = this.gl, place = gl.getAttribLocation(this.program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 2, gl.SHORT, true, stride, offset);
    gl.vertexAttribDivisor(place, divisor);
  }
}

export function arrayBuffer(gl: GL, data: Int16Array): WebGLBuffer {
  const buffer = gl.createBuffer()!;
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  return buffer;
}

/** Into a texture unit, from the lower left corner. wrap: across and up. */
export function texture(
  gl: GL, unit: number, width: number, height: number, data: Uint8Array, channels: 1 | 3, wrap: [boolean, boolean],
): void {
  gl.activeTexture(gl.TEXTURE0 + unit);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  const [inner, outer] = channels === 1 ? [gl.R8, gl.RED] : [gl.RGB8, gl.RGB];
  gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, height, 0, outer, gl.UNSIGNED_BYTE, data);
  for (const [name, value] of [
    [gl.TEXTURE_MIN_FILTER, gl.LINEAR],
    [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
    [gl.TEXTURE_WRAP_S, wrap[0] ? gl.REPEAT : gl.CLAMP_TO_EDGE],
    [gl.TEXTURE_WRAP_T, wrap[1] ? gl.REPEAT : gl.CLAMP_TO_EDGE],
  ])
    gl.texParameteri(gl.TEXTURE_2D, name, value);
}
