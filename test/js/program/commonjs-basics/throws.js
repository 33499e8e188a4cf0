throw new RangeError("inside")
