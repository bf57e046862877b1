// A style sheet is imported as its own minified text; see web/build.
declare module "*.css" {
  const text: string;
  export default text;
}
