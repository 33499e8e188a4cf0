throw new RangeError("thrown");
